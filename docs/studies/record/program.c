/* Three small programs whose communication may be hidden, each in two variants. Usage:
 *   program stencil|transpose|cg blocking|overlapped SIZE STEPS
 * Prints the time of all steps in seconds. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n, size, steps, overlapped;

/* ---- a 7-point stencil on SIZE^3 points a rank, cut into slabs ---- */

static double *u, *v;
#define AT(i, j, k) (((size_t)(i) * size + (j)) * size + (k))

static void planes(int from, int to) {
	for (int i = from; i < to; i++)
		for (int j = 1; j < size - 1; j++)
			for (int k = 1; k < size - 1; k++)
				v[AT(i, j, k)] = 0.4 * u[AT(i, j, k)] + 0.1 * (u[AT(i - 1, j, k)] + u[AT(i + 1, j, k)] + u[AT(i, j - 1, k)] +
					u[AT(i, j + 1, k)] + u[AT(i, j, k - 1)] + u[AT(i, j, k + 1)]);
}

static void stencil(void) {
	int up = (me + 1) % n, down = (me + n - 1) % n, face = size * size;
	u = calloc((size_t)(size + 2) * face, sizeof *u), v = calloc((size_t)(size + 2) * face, sizeof *v);
	for (int step = 0; step < steps; step++) {
		MPI_Request q[4];
		MPI_Irecv(u, face, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(u + (size_t)(size + 1) * face, face, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Isend(u + (size_t)size * face, face, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &q[2]);
		MPI_Isend(u + face, face, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &q[3]);
		if (overlapped) planes(2, size);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		if (!overlapped) planes(2, size);
		planes(1, 2);
		planes(size, size + 1);
		double *w = u;
		u = v, v = w;
	}
}

/* ---- the transpose of an FFT: SIZE rows of SIZE complex numbers a rank ---- */

static void row(double *x) { /* as much work as an FFT of a row, about */
	for (int pass = 1; pass < size; pass *= 2)
		for (int i = 0; i + 1 < 2 * size; i += 2) {
			double re = x[i] * 0.8 - x[i + 1] * 0.6;
			x[i + 1] = x[i] * 0.6 + x[i + 1] * 0.8;
			x[i] = re;
		}
}

static void transpose(void) {
	size_t length = 2 * (size_t)size;
	int part = 2 * size / n, pieces = 8, rows = size / pieces;
	double *a = calloc(length * size, sizeof *a), *b = calloc(length * size, sizeof *b);
	MPI_Request *q = calloc((size_t)pieces, sizeof *q);
	for (int step = 0; step < steps; step++) {
		for (int i = 0; i < pieces; i++) {
			for (int j = 0; j < rows; j++) row(a + (size_t)(i * rows + j) * length);
			if (!overlapped) continue;
			MPI_Ialltoall(a + (size_t)i * rows * length, part * rows, MPI_DOUBLE, b + (size_t)i * rows * length, part * rows, MPI_DOUBLE,
				MPI_COMM_WORLD, &q[i]);
			int flag;
			if (i > 0) MPI_Testall(i, q, &flag, MPI_STATUSES_IGNORE);
		}
		if (overlapped) MPI_Waitall(pieces, q, MPI_STATUSES_IGNORE);
		else MPI_Alltoall(a, part * size, MPI_DOUBLE, b, part * size, MPI_DOUBLE, MPI_COMM_WORLD);
	}
}

/* ---- conjugate gradients for the Laplace operator on SIZE points a rank ---- */

static double dot(const double *x, const double *y) {
	double sum = 0;
	for (int i = 1; i <= size; i++) sum += x[i] * y[i];
	return sum;
}

static void ends(double *x) {
	int up = me + 1 < n ? me + 1 : MPI_PROC_NULL, down = me > 0 ? me - 1 : MPI_PROC_NULL;
	MPI_Sendrecv(x + size, 1, MPI_DOUBLE, up, 2, x, 1, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(x + 1, 1, MPI_DOUBLE, down, 3, x + size + 1, 1, MPI_DOUBLE, up, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void cg(void) {
	size_t all = (size_t)size + 2;
	double *x = calloc(all, sizeof *x), *r = calloc(all, sizeof *r), *p = calloc(all, sizeof *p), *ap = calloc(all, sizeof *ap), local, rr, pap;
	for (int i = 1; i <= size; i++) r[i] = p[i] = 1;
	local = dot(r, r);
	MPI_Allreduce(&local, &rr, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int step = 0; step < steps; step++) {
		ends(p);
		for (int i = 1; i <= size; i++) ap[i] = 2 * p[i] - p[i - 1] - p[i + 1];
		local = dot(p, ap);
		MPI_Allreduce(&local, &pap, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		double alpha = rr / pap, next;
		for (int i = 1; i <= size; i++) r[i] -= alpha * ap[i];
		local = dot(r, r);
		MPI_Request q;
		if (overlapped) MPI_Iallreduce(&local, &next, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q);
		else MPI_Allreduce(&local, &next, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		for (int i = 1; i <= size; i++) x[i] += alpha * p[i];
		if (overlapped) MPI_Wait(&q, MPI_STATUS_IGNORE);
		for (int i = 1; i <= size; i++) p[i] = r[i] + next / rr * p[i];
		rr = next;
	}
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	double begin = MPI_Wtime();
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	if (argc != 5) return fprintf(stderr, "usage: program stencil|transpose|cg blocking|overlapped SIZE STEPS\n"), 1;
	overlapped = !strcmp(argv[2], "overlapped"), size = atoi(argv[3]), steps = atoi(argv[4]);
	if (!strcmp(argv[1], "stencil")) stencil();
	else if (!strcmp(argv[1], "transpose")) transpose();
	else cg();
	double time = MPI_Wtime() - begin, longest;
	MPI_Reduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (me == 0) printf("%.6f\n", longest);
	MPI_Finalize();
	return 0;
}
