/* Calls what the recorder records, on any number of ranks from 2 on. Its messages and their sizes are checked by
 * record_test.go. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int me, n;
static char *a, *b;

static void messages(void) {
	int next = (me + 1) % n, last = (me + n - 1) % n, flag = 0, index, count, indices[4];
	MPI_Request q[4];
	MPI_Status s[4];
	if (me == 0) MPI_Send(a, 100, MPI_BYTE, 1, 1, MPI_COMM_WORLD); /* smaller than its receive */
	if (me == 1) MPI_Recv(b, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s);
	MPI_Irecv(b, 5000, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &q[0]);
	MPI_Isend(a, 2000, MPI_BYTE, next, 2, MPI_COMM_WORLD, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	MPI_Sendrecv(a, 300, MPI_BYTE, next, 3, b, 1000, MPI_BYTE, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	memset(a, me, 10);
	MPI_Sendrecv_replace(a, 10, MPI_BYTE, next, 4, last, 4, MPI_COMM_WORLD, s);
	if (a[0] != last) MPI_Abort(MPI_COMM_WORLD, 1); /* the recorder changes nothing */
	MPI_Send(a, 10, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
	MPI_Irecv(b, 100, MPI_INT, last, 5, MPI_COMM_WORLD, &q[0]);
	MPI_Isend(a, 50, MPI_INT, next, 5, MPI_COMM_WORLD, &q[1]);
	while (!flag) MPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
	MPI_Recv_init(b, 70, MPI_BYTE, last, 6, MPI_COMM_WORLD, &q[0]);
	MPI_Send_init(a, 60, MPI_BYTE, next, 6, MPI_COMM_WORLD, &q[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, q);
		MPI_Waitany(2, q, &index, s);
		MPI_Waitany(2, q, &index, s);
		MPI_Waitany(2, q, &index, s); /* none is active */
	}
	MPI_Request_free(&q[0]);
	MPI_Request_free(&q[1]);
	for (int i = 0; i < 2; i++) MPI_Irecv(b + 100 * i, 10, MPI_BYTE, last, 7, MPI_COMM_WORLD, &q[i]);
	for (int i = 2; i < 4; i++) MPI_Isend(a, 10, MPI_BYTE, next, 7, MPI_COMM_WORLD, &q[i]);
	for (int done = 0; done < 4; done += count) MPI_Waitsome(4, q, &count, indices, s);
	MPI_Isend(a, 20, MPI_BYTE, next, 8, MPI_COMM_WORLD, &q[0]);
	for (flag = 0; !flag;) MPI_Iprobe(last, 8, MPI_COMM_WORLD, &flag, s);
	MPI_Get_count(s, MPI_BYTE, &count);
	MPI_Recv(b, count, MPI_BYTE, last, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (flag = 0; !flag;) MPI_Testany(1, q, &index, &flag, s);
	MPI_Isend(a, 1, MPI_BYTE, next, 9, MPI_COMM_WORLD, &q[0]);
	MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, s);
	MPI_Recv(b, 1, MPI_BYTE, s->MPI_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (flag = 0; !flag;) MPI_Test(q, &flag, MPI_STATUS_IGNORE);
	MPI_Irecv(b, 1, MPI_BYTE, last, 99, MPI_COMM_WORLD, &q[0]);
	MPI_Cancel(&q[0]);
	MPI_Wait(&q[0], s);
	MPI_Datatype column;
	MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(a, 1, column, next, 10, b, 80, MPI_BYTE, last, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Type_free(&column);
}

static void collectives(MPI_Comm comm) {
	int size, rank, *counts = calloc(n, sizeof(int)), *at = calloc(n, sizeof(int)), flag = 0;
	MPI_Request q[2];
	MPI_Comm_size(comm, &size);
	MPI_Comm_rank(comm, &rank);
	MPI_Barrier(comm);
	MPI_Bcast(a, 100, MPI_DOUBLE, size - 1, comm);
	MPI_Reduce(a, b, 10, MPI_DOUBLE, MPI_SUM, 0, comm);
	MPI_Allreduce(MPI_IN_PLACE, b, 10, MPI_DOUBLE, MPI_SUM, comm);
	MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, comm);
	MPI_Allgather(a, 10, MPI_BYTE, b, 10, MPI_BYTE, comm);
	MPI_Alltoall(a, 10, MPI_BYTE, b, 10, MPI_BYTE, comm);
	MPI_Gather(a, 10, MPI_BYTE, b, 10, MPI_BYTE, 0, comm);
	MPI_Scatter(a, 10, MPI_BYTE, b, 10, MPI_BYTE, 0, comm);
	MPI_Reduce_scatter_block(a, b, 4, MPI_INT, MPI_SUM, comm);
	for (int i = 0, sum = 0; i < size; sum += counts[i++]) counts[i] = 10 + i, at[i] = sum;
	MPI_Allgatherv(a, counts[rank], MPI_BYTE, b, counts, at, MPI_BYTE, comm);
	MPI_Gatherv(a, counts[rank], MPI_BYTE, b, counts, at, MPI_BYTE, 0, comm);
	MPI_Scatterv(a, counts, at, MPI_BYTE, b, counts[rank], MPI_BYTE, 0, comm);
	MPI_Reduce_scatter(a, b, counts, MPI_BYTE, MPI_BOR, comm);
	for (int i = 0; i < size; i++) counts[i] = 10, at[i] = 10 * i;
	MPI_Alltoallv(a, counts, at, MPI_BYTE, b, counts, at, MPI_BYTE, comm);
	MPI_Ialltoall(a, 1000, MPI_BYTE, b, 1000, MPI_BYTE, comm, &q[0]);
	MPI_Iallreduce(a, b + 100000, 10, MPI_DOUBLE, MPI_SUM, comm, &q[1]);
	while (!flag) MPI_Test(&q[1], &flag, MPI_STATUS_IGNORE);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	free(counts);
	free(at);
}

static void neighbours(void) {
	int dims[1] = {0}, periods[1] = {0};
	MPI_Comm line;
	MPI_Request q;
	MPI_Dims_create(n, 1, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &line);
	MPI_Neighbor_alltoall(a, 8, MPI_BYTE, b, 8, MPI_BYTE, line);
	MPI_Ineighbor_allgather(a, 16, MPI_BYTE, b, 16, MPI_BYTE, line, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Comm_free(&line);
}

int main(int argc, char **argv) {
	MPI_Comm half, same;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	a = calloc(1, 1 << 20);
	b = calloc(1, 1 << 20);
	messages();
	MPI_Pcontrol(1);
	collectives(MPI_COMM_WORLD);
	MPI_Comm_dup(MPI_COMM_WORLD, &same);
	MPI_Comm_split(same, me % 2, -me, &half); /* in reverse order */
	collectives(half);
	neighbours();
	MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	MPI_Comm_free(&half);
	MPI_Comm_free(&same);
	MPI_Finalize();
	return 0;
}
