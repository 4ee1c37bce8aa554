/* A message of 8 partitions, twice, which its receiver cuts into 4; where MPI has none, nothing. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
#if MPI_VERSION >= 4
	int me, last[2] = {7, 6}, found = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	double *b = calloc(8 * 1000, sizeof *b);
	MPI_Request q;
	if (me == 0) MPI_Psend_init(b, 8, 1000, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	else MPI_Precv_init(b, 4, 2000, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	for (int i = 0; i < 2; i++) {
		MPI_Start(&q);
		if (me == 0) {
			MPI_Pready(3, q);
			MPI_Pready_range(0, 2, q);
			MPI_Pready_range(4, 5, q);
			MPI_Pready_list(2, last, q);
		} else {
			for (found = 0; !found;) MPI_Parrived(q, 1, &found);
		}
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	MPI_Request_free(&q);
#endif
	MPI_Finalize();
	return 0;
}
