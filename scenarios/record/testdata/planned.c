// Collectives with persistent requests, five times; where MPI has none, non-blocking ones in their place.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	int me, counts[4] = {10, 20, 30, 40}, at[4] = {0, 10, 30, 60};
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	double *a = calloc(100, sizeof *a), *b = calloc(400, sizeof *b), *s = calloc(100, sizeof *s);
	MPI_Request q[3];
#if MPI_VERSION >= 4
	MPI_Allreduce_init(a, b, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &q[0]);
	MPI_Bcast_init(s, 50, MPI_DOUBLE, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &q[1]);
	MPI_Allgatherv_init(a, counts[me], MPI_DOUBLE, b + 100, counts, at, MPI_DOUBLE, MPI_COMM_WORLD, MPI_INFO_NULL, &q[2]);
#endif
	for (int i = 0; i < 5; i++) {
#if MPI_VERSION >= 4
		MPI_Start(&q[0]);
		MPI_Startall(2, &q[1]);
#else
		MPI_Iallreduce(a, b, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[0]);
		MPI_Ibcast(s, 50, MPI_DOUBLE, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Iallgatherv(a, counts[me], MPI_DOUBLE, b + 100, counts, at, MPI_DOUBLE, MPI_COMM_WORLD, &q[2]);
#endif
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
		MPI_Waitall(2, &q[1], MPI_STATUSES_IGNORE);
	}
#if MPI_VERSION >= 4
	for (int i = 0; i < 3; i++)
		MPI_Request_free(&q[i]);
#endif
	MPI_Finalize();
	return 0;
}
