/* What programs do that few do: each part by its name, or all of them. What comes is checked. Wants 4 ranks. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, n, next, last;
#define W MPI_COMM_WORLD
#define CHECK(ok) ((ok) ? (void)0 : (fprintf(stderr, "rank %d: line %d: %s\n", me, __LINE__, #ok), (void)MPI_Abort(W, 1)))

/* Persistent requests in both directions, started together and one by one, completed by all calls there are. */
static void persistent(void) {
	int a[6][10], b[6][10], done = 0, got, indices[12];
	MPI_Request q[12];
	for (int i = 0; i < 6; i++) {
		a[i][0] = me * 10 + i;
		MPI_Recv_init(b[i], 10, MPI_INT, last, i, W, &q[i]);
		if (i % 2) MPI_Send_init(a[i], 10, MPI_INT, next, i, W, &q[6 + i]);
		else MPI_Rsend_init(a[i], 10, MPI_INT, next, i, W, &q[6 + i]);
	}
	for (int round = 0; round < 3; round++) {
		MPI_Startall(6, q);
		MPI_Barrier(W);
		for (int i = 0; i < 6; i++) MPI_Start(&q[6 + i]);
		if (round == 0) MPI_Waitall(12, q, MPI_STATUSES_IGNORE);
		for (done = 0; round == 1 && done < 12; done += got) MPI_Waitsome(12, q, &got, indices, MPI_STATUSES_IGNORE);
		for (done = 0; round == 2 && done < 12; done += got) MPI_Testsome(12, q, &got, indices, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 6; i++) CHECK(b[i][0] == last * 10 + i);
	}
	MPI_Waitall(12, q, MPI_STATUSES_IGNORE); /* none is active */
	for (int i = 0; i < 12; i++) MPI_Request_free(&q[i]);
}

/* A send is freed before it ends; one is cancelled that nobody takes; a receive is cancelled. */
static void cancelled(void) {
	int a = me, b = -1, flag;
	MPI_Request q;
	MPI_Status s;
	MPI_Isend(&a, 1, MPI_INT, next, 20, W, &q);
	MPI_Request_free(&q);
	MPI_Recv(&b, 1, MPI_INT, last, 20, W, MPI_STATUS_IGNORE);
	CHECK(b == last);
	MPI_Irecv(&b, 1, MPI_INT, last, 21, W, &q);
	MPI_Cancel(&q);
	MPI_Wait(&q, &s);
	MPI_Test_cancelled(&s, &flag);
	CHECK(flag);
}

/* Messages of no bytes, to nobody, to oneself, and exchanges in place. */
static void nothing(void) {
	int a = me, b = -1, c;
	MPI_Request q[2];
	MPI_Status s;
	MPI_Sendrecv(NULL, 0, MPI_INT, next, 1, NULL, 0, MPI_INT, last, 1, W, &s);
	MPI_Get_count(&s, MPI_INT, &c);
	CHECK(c == 0);
	MPI_Send(&a, 1, MPI_INT, MPI_PROC_NULL, 2, W);
	MPI_Recv(&b, 1, MPI_INT, MPI_PROC_NULL, 2, W, &s);
	CHECK(s.MPI_SOURCE == MPI_PROC_NULL);
	MPI_Probe(MPI_PROC_NULL, 0, W, &s);
	MPI_Irecv(&b, 1, MPI_INT, me, 3, W, &q[0]);
	MPI_Isend(&a, 1, MPI_INT, me, 3, W, &q[1]);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	CHECK(b == me);
	MPI_Sendrecv(&a, 1, MPI_INT, me, 4, &b, 1, MPI_INT, me, 4, W, MPI_STATUS_IGNORE);
	MPI_Sendrecv_replace(&a, 1, MPI_INT, next, 5, last, 5, W, &s);
	CHECK(a == last && s.MPI_SOURCE == last);
	MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
	MPI_Bcast(NULL, 0, MPI_INT, 0, W);
	MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
}

/* Receives from any source, of any tag, after probes of all kinds. */
static void wild(void) {
	int a[3] = {me, me, me}, b[3], flag = 0, c;
	MPI_Status s;
	MPI_Message m;
	MPI_Request q;
	if (me == 0) {
		for (int i = 1; i < n; i++) {
			MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s);
			MPI_Get_count(&s, MPI_INT, &c);
			MPI_Recv(b, c, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, W, MPI_STATUS_IGNORE);
			CHECK(b[0] == s.MPI_SOURCE && s.MPI_TAG == 30 + b[0] && c == 1 + b[0] % 3);
		}
		MPI_Barrier(W);
		for (int i = 1; i < n; i++) {
			MPI_Recv(b, 3, MPI_INT, MPI_ANY_SOURCE, 40, W, &s);
			CHECK(b[0] == s.MPI_SOURCE);
		}
		for (int i = 1; i < n; i++) {
			MPI_Mprobe(MPI_ANY_SOURCE, 41, W, &m, &s);
			MPI_Mrecv(b, 3, MPI_INT, &m, &s);
			CHECK(b[0] == s.MPI_SOURCE);
		}
		for (int i = 1; i < n; i++) {
			for (flag = 0; !flag;) MPI_Improbe(MPI_ANY_SOURCE, 42, W, &flag, &m, &s);
			MPI_Imrecv(b, 3, MPI_INT, &m, &q);
			MPI_Wait(&q, &s);
			CHECK(b[0] == s.MPI_SOURCE);
		}
	} else {
		MPI_Send(a, 1 + me % 3, MPI_INT, 0, 30 + me, W);
		MPI_Barrier(W);
		for (int tag = 40; tag <= 42; tag++) MPI_Send(a, 2, MPI_INT, 0, tag, W);
	}
	MPI_Barrier(W);
}

/* Communicators of two groups, and what is made of them. */
static void groups(void) {
	MPI_Comm half, inter, both, copy, some;
	MPI_Group world, part;
	int a = me, b = -1, size;
	MPI_Status s;
	MPI_Comm_split(W, me % 2, -me, &half);
	MPI_Intercomm_create(half, 0, W, me % 2 ? n - 2 : n - 1, 50, &inter);
	MPI_Comm_remote_size(inter, &size);
	CHECK(size == n / 2);
	int mine;
	MPI_Comm_rank(half, &mine);
	MPI_Sendrecv(&a, 1, MPI_INT, mine, 51, &b, 1, MPI_INT, mine, 51, inter, &s);
	CHECK(b / 2 == me / 2 && b % 2 != me % 2 && s.MPI_SOURCE == mine);
	MPI_Comm_dup(inter, &copy);
	if (me % 2) MPI_Send(&a, 1, MPI_INT, mine, 52, copy);
	else MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 52, copy, &s);
	MPI_Intercomm_merge(inter, me % 2, &both);
	MPI_Allreduce(&a, &b, 1, MPI_INT, MPI_SUM, both);
	CHECK(b == n * (n - 1) / 2);
	MPI_Comm_group(W, &world);
	int list[2] = {1, 3};
	MPI_Group_incl(world, 2, list, &part);
	MPI_Comm_create(W, part, &some);
	if (some != MPI_COMM_NULL) MPI_Barrier(some), MPI_Comm_free(&some);
	if (me % 2) MPI_Comm_create_group(W, part, 53, &some), MPI_Bcast(&a, 1, MPI_INT, 1, some), MPI_Comm_free(&some);
	MPI_Comm_split(W, me == 2 ? MPI_UNDEFINED : 0, 0, &some);
	if (some != MPI_COMM_NULL) MPI_Barrier(some), MPI_Comm_disconnect(&some);
	MPI_Group_free(&world), MPI_Group_free(&part);
	MPI_Comm_free(&copy), MPI_Comm_free(&both), MPI_Comm_free(&inter), MPI_Comm_free(&half);
}

/* Types of absolute addresses, with gaps, made anew for each message. */
static void types(void) {
	for (int i = 0; i < 5; i++) {
		double *x = malloc(8 * 100), *y = malloc(8 * 100);
		MPI_Datatype t, column;
		int lengths[2] = {1 + i, 3};
		MPI_Aint at[2];
		MPI_Get_address(x, &at[0]), MPI_Get_address(y + 50, &at[1]);
		MPI_Type_create_hindexed(2, lengths, at, MPI_DOUBLE, &t);
		MPI_Type_commit(&t);
		x[0] = me, y[50] = i;
		if (me % 2 == 0) MPI_Ssend(MPI_BOTTOM, 1, t, next, 60, W), MPI_Recv(MPI_BOTTOM, 1, t, last, 60, W, MPI_STATUS_IGNORE);
		else MPI_Recv(MPI_BOTTOM, 1, t, last, 60, W, MPI_STATUS_IGNORE), MPI_Ssend(MPI_BOTTOM, 1, t, next, 60, W);
		MPI_Type_free(&t);
		MPI_Type_vector(10, 1, 10, MPI_DOUBLE, &column);
		MPI_Type_commit(&column);
		MPI_Sendrecv(x, 1, column, next, 61, y, 10, MPI_DOUBLE, last, 61, W, MPI_STATUS_IGNORE);
		MPI_Type_free(&column);
		free(x), free(y);
	}
}

/* Blocks of unequal sizes, some of them empty, in place and not, at once and later. */
static void uneven(void) {
	int out[4], into[4], at[4], rat[4], a[100] = {0}, b[200] = {0};
	MPI_Request q[4];
	for (int i = 0; i < n; i++) out[i] = (me + i) % 3 * 4, into[i] = (i + me) % 3 * 4, at[i] = rat[i] = 20 * i;
	MPI_Alltoallv(a, out, at, MPI_INT, b, into, rat, MPI_INT, W);
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, b, into, rat, MPI_INT, W);
	int mine = me * 3;
	for (int i = 0; i < n; i++) into[i] = 3 * i, rat[i] = 20 * i;
	MPI_Allgatherv(a, mine, MPI_INT, b, into, rat, MPI_INT, W);
	MPI_Gatherv(a, mine, MPI_INT, b, into, rat, MPI_INT, 2, W);
	MPI_Scatterv(b, into, rat, MPI_INT, me == 1 ? MPI_IN_PLACE : a, mine, MPI_INT, 1, W);
	MPI_Reduce_scatter(a, b, into, MPI_INT, MPI_SUM, W);
	MPI_Iallgatherv(a, mine, MPI_INT, b, into, rat, MPI_INT, W, &q[0]);
	MPI_Igatherv(a, mine, MPI_INT, b + 100, into, rat, MPI_INT, 0, W, &q[1]);
	MPI_Iscan(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, W, &q[2]);
	MPI_Ibarrier(W, &q[3]);
	int index, done = 0;
	while (done < 4) {
		int flag;
		MPI_Testany(4, q, &index, &flag, MPI_STATUS_IGNORE);
		done += flag && index != MPI_UNDEFINED;
	}
	MPI_Exscan(&me, &mine, 1, MPI_INT, MPI_MAX, W);
	MPI_Reduce(me == 3 ? MPI_IN_PLACE : a, a, 5, MPI_INT, MPI_MAX, 3, W);
}

/* Neighbours on grids with edges and on graphs of one's own. */
static void neighbours(void) {
	MPI_Comm grid, graph;
	int dims[2] = {2, 2}, periods[2] = {0, 1}, a[40] = {0}, b[40], at[2] = {0, 4};
	MPI_Cart_create(W, 2, dims, periods, 0, &grid);
	MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, grid);
	MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, grid);
	int to[2] = {next, (me + 2) % n}, from[2] = {last, (me + 2) % n}, rcounts[2] = {3, 5};
	MPI_Dist_graph_create_adjacent(W, 2, from, MPI_UNWEIGHTED, 2, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	MPI_Request q;
	MPI_Ineighbor_alltoallv(a, rcounts, at, MPI_INT, b, rcounts, at, MPI_INT, graph, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Comm_free(&grid), MPI_Comm_free(&graph);
}

/* Requests that are completed in another order than they were started, some after MPI_Request_get_status. */
static void order(void) {
	int a[8], b[8], flag;
	MPI_Request q[16];
	for (int i = 0; i < 8; i++) a[i] = me + i, MPI_Irecv(&b[i], 1, MPI_INT, last, 70 + i, W, &q[i]);
	for (int i = 7; i >= 0; i--) MPI_Isend(&a[i], 1, MPI_INT, next, 70 + i, W, &q[8 + i]);
	for (flag = 0; !flag;) MPI_Request_get_status(q[3], &flag, MPI_STATUS_IGNORE);
	for (int i = 7; i >= 0; i--) MPI_Wait(&q[i], MPI_STATUS_IGNORE);
	for (flag = 0; !flag;) MPI_Testall(8, q + 8, &flag, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 8; i++) CHECK(b[i] == last + i);
	MPI_Wait(&q[0], MPI_STATUS_IGNORE); /* null by now */
}

/* Buffered sends, and a message above every threshold that is received late. */
static void buffered(void) {
	int size = 1000 + MPI_BSEND_OVERHEAD, large = 1 << 20;
	char *room = malloc((size_t)size), *x = calloc(1, (size_t)large), *y = malloc((size_t)large);
	MPI_Request q;
	MPI_Buffer_attach(room, size);
	MPI_Bsend(x, 1000, MPI_BYTE, next, 80, W);
	MPI_Recv(y, 1000, MPI_BYTE, last, 80, W, MPI_STATUS_IGNORE);
	MPI_Buffer_detach(&room, &size);
	MPI_Isend(x, large, MPI_BYTE, next, 81, W, &q);
	MPI_Barrier(W);
	MPI_Recv(y, large, MPI_BYTE, last, 81, W, MPI_STATUS_IGNORE);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	free(room), free(x), free(y);
}

/* Windows: fences, locks, flushes, requests, and two groups that post and start. */
static void onesided(void) {
	int *b, one = 1, was, a[10];
	MPI_Win w;
	MPI_Request q;
	MPI_Win_allocate(100 * sizeof *b, sizeof *b, MPI_INFO_NULL, W, &b, &w);
	for (int i = 0; i < 100; i++) b[i] = 0;
	for (int i = 0; i < 10; i++) a[i] = me;
	MPI_Win_fence(0, w);
	MPI_Put(a, 10, MPI_INT, next, 0, 10, MPI_INT, w);
	MPI_Put(a, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, w);
	MPI_Win_fence(0, w);
	CHECK(b[9] == last);
	MPI_Win_lock_all(0, w);
	MPI_Rput(a, 5, MPI_INT, next, 20, 5, MPI_INT, w, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Win_flush(next, w);
	MPI_Fetch_and_op(&one, &was, MPI_INT, 0, 30, MPI_SUM, w);
	MPI_Accumulate(a, 3, MPI_INT, 0, 31, 3, MPI_INT, MPI_SUM, w);
	MPI_Win_unlock_all(w);
	CHECK(was >= 0 && was < n);
	MPI_Barrier(W);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
	MPI_Get(a, 4, MPI_INT, 0, 30, 4, MPI_INT, w);
	MPI_Win_unlock(0, w);
	CHECK(a[0] == n && a[1] == n * (n - 1) / 2);
	MPI_Group world, others;
	MPI_Comm_group(W, &world);
	int list[2] = {next, last};
	MPI_Group_incl(world, 2, list, &others);
	MPI_Win_post(others, 0, w);
	MPI_Win_start(others, 0, w);
	MPI_Put(a, 2, MPI_INT, next, 40, 2, MPI_INT, w);
	MPI_Win_complete(w);
	MPI_Win_wait(w);
	MPI_Group_free(&others), MPI_Group_free(&world);
	MPI_Win_free(&w);
}

static void *thread(void *unused) {
	int a = me, b;
	MPI_Sendrecv(&a, 1, MPI_INT, next, 90, &b, 1, MPI_INT, last, 90, W, MPI_STATUS_IGNORE);
	return unused;
}

/* A second thread calls, too. */
static void threads(void) {
	pthread_t other;
	int a = me, b;
	pthread_create(&other, NULL, thread, NULL);
	MPI_Sendrecv(&a, 1, MPI_INT, next, 91, &b, 1, MPI_INT, last, 91, W, MPI_STATUS_IGNORE);
	pthread_join(other, NULL);
}

int main(int argc, char **argv) {
	static const struct { const char *name; void (*part)(void); } parts[] = {
		{"persistent", persistent}, {"cancelled", cancelled}, {"nothing", nothing}, {"wild", wild}, {"groups", groups}, {"types", types},
		{"uneven", uneven}, {"neighbours", neighbours}, {"order", order}, {"buffered", buffered}, {"onesided", onesided}, {"threads", threads},
	};
	int provided;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(W, &me), MPI_Comm_size(W, &n);
	next = (me + 1) % n, last = (me + n - 1) % n;
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		for (int k = 1; k < argc; k++)
			if (!strcmp(argv[k], parts[i].name)) parts[i].part();
	MPI_Finalize();
	return 0;
}
