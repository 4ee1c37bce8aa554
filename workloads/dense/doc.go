// Package dense holds the closed-form models of dense linear algebra of
// Gonzalez-Dominguez, Georganas, Zheng, Martin, Constructing Performance Models
// for Dense Linear Algebra Algorithms on Cray XE Systems ("Models" below):
// Cannon's algorithm, SUMMA, triangular solve and Cholesky factorisation, each in
// two dimensions (2D) and with c layers of processes that avoid communication
// (2.5D), without and with overlap.
//
// Cannon and TRSM are printed there (sections V-A and V-B); where the text is
// garbled, docs/validation/papers/cray.md says how it is read here. SUMMA and Cholesky are derived by
// the same method: the time of a step is the sum of the times of its operations, or the
// longest of those that overlap.
//
// Matrices are n x n words of 8 bytes on p processes, p and p/c powers of four.
// Times are in seconds.
package dense
