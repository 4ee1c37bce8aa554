// Which call moves messages? Both ranks compute K times and send a message of BYTES after each; MODE says with which calls between.
// Usage: rules MODE BYTES K COMPUTE_US REPEATS [PARTS]. Modes: sends, receives, tests, probes, nulls, waits. PARTS: calls during a
// computation (10). Prints the shortest time of a repeat, of the slower rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void spin(double s) {
	for (double t = MPI_Wtime(); MPI_Wtime() - t < s;)
		;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	int me;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	const char *mode = argv[1];
	int n = atoi(argv[2]), k = atoi(argv[3]), other = 1 - me, flag;
	double each = atof(argv[4]) * 1e-6, best = 1e9;
	int parts = argc > 6 ? atoi(argv[6]) : 10;
	char *a = calloc(k, n), *b = calloc(k, n), out = 0, in;
	MPI_Request *q = malloc(2 * k * sizeof *q), none = MPI_REQUEST_NULL;
	int late = !strcmp(mode, "receives");
	for (int repeat = atoi(argv[5]); repeat > 0; repeat--) {
		MPI_Barrier(MPI_COMM_WORLD);
		spin(0.03); // the bucket fills
		MPI_Barrier(MPI_COMM_WORLD);
		double begin = MPI_Wtime();
		for (int i = 0; i < k; i++)
			if (late)
				MPI_Isend(a + (size_t)i * n, n, MPI_CHAR, other, i, MPI_COMM_WORLD, q + i);
			else
				MPI_Irecv(b + (size_t)i * n, n, MPI_CHAR, other, i, MPI_COMM_WORLD, q + i);
		for (int i = 0; i < k; i++) {
			for (int part = 0; part < parts; part++) {
				spin(each / parts);
				if (!strcmp(mode, "tests"))
					MPI_Testall(k + i, q, &flag, MPI_STATUSES_IGNORE);
				else if (!strcmp(mode, "probes"))
					MPI_Iprobe(other, 9999, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
				else if (!strcmp(mode, "nulls"))
					MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
			}
			if (late)
				MPI_Irecv(b + (size_t)i * n, n, MPI_CHAR, other, i, MPI_COMM_WORLD, q + k + i);
			else
				MPI_Isend(a + (size_t)i * n, n, MPI_CHAR, other, i, MPI_COMM_WORLD, q + k + i);
			if (!strcmp(mode, "waits"))
				MPI_Sendrecv(&out, 1, MPI_CHAR, other, 8888, &in, 1, MPI_CHAR, other, 8888, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		MPI_Waitall(2 * k, q, MPI_STATUSES_IGNORE);
		double took = MPI_Wtime() - begin, slower;
		MPI_Allreduce(&took, &slower, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		if (slower < best)
			best = slower;
	}
	if (!me)
		printf("%s,%d,%d,%s,%.6f\n", mode, n, k, argv[4], best);
	MPI_Finalize();
	return 0;
}
