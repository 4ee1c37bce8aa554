package scenarios

// Paper is a published study that overlapsim is to reproduce.
type Paper struct{ Name, Title string }

// Papers are the studies, by the names that commands know them by.
var Papers = []Paper{
	{"probes", "Nishtala, Architectural Probes for Measuring Communication Overlap Potential"},
	{"bgp", "Nishtala, Hargrove, Bonachea, Yelick, Scaling Communication-Intensive Applications on BlueGene/P Using One-Sided Communication and Overlap, IPDPS 2009"},
	{"cray", "González-Domínguez, Georganas, Zheng, Martín, Constructing Performance Models for Dense Linear Algebra Algorithms on Cray XE Systems"},
	{"mpi", "Denis, Trahay, MPI Overlap: Benchmark and Analysis, ICPP 2016"},
	{"smt", "Goumas, Anastopoulos, Koziris, Overlapping Computation and Communication in SMT Clusters with Commodity Interconnects"},
}
