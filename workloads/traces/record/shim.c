/* Records the MPI calls of a process: see docs/howto/mpi-program.md. It is compiled with the user's mpicc as a shared library and
 * preloaded. Each rank writes one file, OVERLAPSIM_RECORD/rank-N; 'overlapsim record' merges them.
 *
 * A file is a sequence of items. An item begins with a number: a kind of call (as in kind.go, with the fields of fields.go
 * in their order), or one of the numbers below. Numbers are written as in a trace. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { /* of kind.go */
	END, SEND, RECV, ISEND, IRECV, SENDRECV, PROBE, WAIT, WAITANY, WAITSOME, TEST, FREE, MAKE,
	BARRIER, BROADCAST, REDUCE, ALLREDUCE, REDUCESCATTER, ALLGATHER, ALLTOALL, GATHER, SCATTER, SCAN, NEARGATHER, NEAREXCHANGE, PUT, GET,
	PSEND, PRECV, PREADY, PARRIVED
};
enum { /* other items */
	COMM = 100, /* number, leader, the leader's count, how many members are listed (0 unless this is the leader), each */
	CAME,       /* what a receive got: which one, as counted from 0, peer, tag, bytes */
	CANCELLED,  /* which receive was cancelled */
	MISSING,    /* calls, length of the name, name */
	WHERE,      /* length, host and library */
	DONE,       /* nothing: the file is complete */
};
enum { STRIDED = 1, SYNC = 2, COPIED = 4, START = 8, UNEVEN = 16 };

typedef int64_t i64;
typedef struct { uintptr_t handle; int number, size, inter, *ranks; } Comm; /* ranks are the other group's if it is between two */
typedef struct { /* what a persistent collective writes when it is started */
	int kind, comm, modes;
	size_t length, room;
	unsigned char *rest; /* behind its request */
} Plan;
typedef struct Req {
	uintptr_t handle;
	Plan *plan; /* of a persistent collective, else NULL */
	int id, receives, persistent, active, comm, peer, tag, modes;
	int parts, into; /* of a message in partitions: how many, and whether it is received; else 0 */
	i64 bytes, which;
	struct Req *next;
} Req;

static int on, inside, me, ranks, phase;
static pthread_t master;
static i64 wall0, wall1, cpu0, cpu1, before, away, took; /* of the call, and of the end of the one before */
static i64 wall_before;
static i64 others; /* calls of other threads */

/* ---- output ---- */

static int out = -1;
static unsigned char buffer[1 << 20];
static size_t held;

static void flush(void) {
	for (size_t done = 0; done < held && out >= 0;) {
		ssize_t n = write(out, buffer + done, held - done);
		if (n <= 0) { perror("overlapsim record: the trace cannot be written"); close(out); out = -1; break; }
		done += (size_t)n;
	}
	held = 0;
}

static Plan *planned; /* takes what is put; NULL: the file does */

static void plan_byte(unsigned char b) {
	if (planned->length == planned->room) planned->rest = realloc(planned->rest, planned->room = 2 * planned->room + 64);
	planned->rest[planned->length++] = b;
}

static void put(uint64_t n) {
	if (planned) {
		for (; n >= 0x80; n >>= 7) plan_byte((unsigned char)(n | 0x80));
		plan_byte((unsigned char)n);
		return;
	}
	if (held + 16 > sizeof buffer) flush();
	for (; n >= 0x80; n >>= 7) buffer[held++] = (unsigned char)(n | 0x80);
	buffer[held++] = (unsigned char)n;
}

static void put_signed(int n) { put((uint32_t)((uint32_t)n << 1) ^ (uint32_t)(n >> 31)); }

static void put_text(const char *text) {
	put(strlen(text));
	for (; *text; text++) put((unsigned char)*text);
}

/* ---- time ---- */

static i64 now(clockid_t clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	return (i64)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what is not recorded ---- */

#define MISSED 256
static struct { const char *name; i64 calls; } missing[MISSED];

static void miss(const char *name) {
	for (int i = 0; i < MISSED; i++) {
		if (!missing[i].name) missing[i].name = name;
		if (missing[i].name == name || !strcmp(missing[i].name, name)) { missing[i].calls++; return; }
	}
}

/* ---- calls: enter, the call itself, leave, what is written ---- */

static int enter(void) {
	if (!on) return 0;
	if (!pthread_equal(pthread_self(), master)) { __atomic_fetch_add(&others, 1, __ATOMIC_RELAXED); return 0; }
	if (inside) return 0;
	inside = 1;
	wall0 = now(CLOCK_MONOTONIC);
	cpu0 = now(CLOCK_THREAD_CPUTIME_ID);
	i64 wall = wall0 - wall_before, cpu = cpu0 - cpu1;
	i64 ran = cpu < wall ? cpu : wall;
	if (ran < 0) ran = 0;
	before += ran; /* and what was before calls that wrote nothing */
	away += wall - ran;
	return 1;
}

static void leave(void) { took = (wall1 = now(CLOCK_MONOTONIC)) - wall0; }

/* resume ends what the recorder does in a call. */
static void resume(void) {
	cpu1 = now(CLOCK_THREAD_CPUTIME_ID);
	wall_before = now(CLOCK_MONOTONIC);
	inside = 0;
}

/* Tests that find nothing, one after the other, are one. */
static struct { int active, among; i64 tries, before, away, end; } poll;
#define APART 10000 /* ns between two tests of one poll */

static void head(int kind, int comm) {
	put(kind);
	put(phase);
	put(comm);
	put((uint64_t)before << 1);
	put((uint64_t)away << 1);
	put((uint64_t)took << 1);
}

static void flush_poll(void) {
	if (!poll.active) return;
	i64 b = before, a = away, t = took;
	before = poll.before, away = poll.away, took = 0;
	head(TEST, 0);
	put(0);
	put(poll.among);
	put(poll.tries);
	before = b, away = a, took = t;
	poll.active = 0;
}

/* item begins what is written about a call. */
static void item(int kind, int comm) {
	flush_poll();
	head(kind, comm);
	before = away = took = 0; /* a second item of the same call */
}

static void polled(int among) {
	if (poll.active && wall0 - poll.end < APART) {
		poll.tries++;
	} else {
		flush_poll();
		poll.active = 1, poll.tries = 1, poll.before = before, poll.away = away, poll.among = among;
	}
	before = away = 0;
	poll.end = wall1;
}

/* found lets what was polled for begin where the polling began. */
static i64 found(void) {
	i64 tries = 0;
	if (poll.active && wall0 - poll.end < APART) {
		tries = poll.tries, before = poll.before, away = poll.away, poll.active = 0;
	}
	return tries;
}

/* ---- communicators ---- */

static Comm *comms;
static int comm_count, comm_room, next_comm, led;

static Comm *comm_of(MPI_Comm c) {
	for (int i = 0; i < comm_count; i++)
		if (comms[i].handle == (uintptr_t)c) return &comms[i];
	return NULL;
}

static void forget(MPI_Comm c) {
	Comm *x = comm_of(c);
	if (!x) return;
	free(x->ranks);
	*x = comms[--comm_count];
}

static Comm *add_comm(MPI_Comm c) {
	forget(c);
	if (comm_count == comm_room) comms = realloc(comms, sizeof *comms * (size_t)(comm_room = 2 * comm_room + 8));
	Comm *x = &comms[comm_count++];
	x->handle = (uintptr_t)c, x->number = -1, x->ranks = NULL;
	PMPI_Comm_test_inter(c, &x->inter);
	if (x->inter) PMPI_Comm_remote_size(c, &x->size);
	else PMPI_Comm_size(c, &x->size);
	return x;
}

/* list_of finds the ranks of a group, and frees it. */
static int *list_of(MPI_Group group, int size) {
	MPI_Group world;
	int *order = malloc(sizeof(int) * (size_t)size), *list = malloc(sizeof(int) * (size_t)size);
	for (int i = 0; i < size; i++) order[i] = i;
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_translate_ranks(group, size, order, world, list);
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
	free(order);
	return list;
}

/* members_of lists those of a communicator, or of the other group of one between two. */
static int *members_of(MPI_Comm c, int *size) {
	MPI_Group group;
	int inter;
	PMPI_Comm_test_inter(c, &inter);
	if (inter) PMPI_Comm_remote_group(c, &group);
	else PMPI_Comm_group(c, &group);
	PMPI_Group_size(group, size);
	return list_of(group, *size);
}

/* name_of_members gives a communicator, or something else of its members, a number that all members know: its leader and how many
 * that one has led. It returns this rank's own number. */
static int name_of_members(MPI_Comm c) {
	int key[2] = {me, led}, size, *list = members_of(c, &size);
	PMPI_Bcast(key, 2, MPI_INT, 0, c);
	put(COMM);
	put(next_comm);
	put(key[0]);
	put(key[1]);
	put(key[0] == me ? size : 0);
	for (int i = 0; i < size && key[0] == me; i++) put(list[i]);
	if (key[0] == me) led++;
	free(list);
	return next_comm++;
}

/* made notes a new communicator. One between two groups has a name among all of both. */
static void made(MPI_Comm c) {
	if (c == MPI_COMM_NULL) return;
	Comm *x = add_comm(c);
	x->ranks = members_of(c, &x->size);
	if (x->inter) {
		MPI_Comm all;
		PMPI_Intercomm_merge(c, 0, &all);
		x->number = name_of_members(all);
		PMPI_Comm_free(&all);
	} else x->number = name_of_members(c);
}

static int rank_of(Comm *x, int peer) {
	if (peer == MPI_PROC_NULL) return -2;
	if (peer == MPI_ANY_SOURCE) return -1;
	return x->ranks ? x->ranks[peer] : peer;
}

static int tag_of(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }

/* known returns a communicator whose calls are recorded; within: and whose members are one group. */
static Comm *known_as(MPI_Comm c, const char *name, int within) {
	Comm *x = comm_of(c);
	if (x && x->number >= 0 && !(within && x->inter)) return x;
	static struct { const char *name; char *text; } texts[64];
	for (int i = 0; i < 64; i++) {
		if (!texts[i].name) {
			texts[i].name = name;
			texts[i].text = malloc(strlen(name) + 64);
			sprintf(texts[i].text, "%s on a communicator of two groups, or one that was not seen", name);
		}
		if (texts[i].name == name) { miss(texts[i].text); break; }
	}
	return NULL;
}

static Comm *known(MPI_Comm c, const char *name) { return known_as(c, name, 1); }

/* between is for messages, which have another group's members as their peers if the communicator has two. */
static Comm *between(MPI_Comm c, const char *name) { return known_as(c, name, 0); }

/* ---- sizes ---- */

static i64 size_of(i64 count, MPI_Datatype type) {
	int size = 0;
	if (type != MPI_DATATYPE_NULL && count > 0) PMPI_Type_size(type, &size);
	return size * count;
}

static int strided(MPI_Datatype type) {
	int size;
	MPI_Aint lower, extent;
	PMPI_Type_size(type, &size);
	PMPI_Type_get_extent(type, &lower, &extent);
	return size > 0 && extent != size ? STRIDED : 0;
}

static i64 size_in(MPI_Status *s) {
	MPI_Count n = 0;
	PMPI_Get_elements_x(s, MPI_BYTE, &n);
	return n < 0 ? 0 : n;
}

/* ---- requests ---- */

#define TABLE 4096
static Req *table[TABLE], *spare;
static int *free_ids, free_count, free_room, next_id;
static i64 receives;

static unsigned slot_of(uintptr_t h) { return (unsigned)((h >> 4 ^ h >> 13 ^ h) % TABLE); }

static Req *new_request(MPI_Request handle) {
	Req *r = spare;
	if (r) spare = r->next; else r = malloc(sizeof *r);
	memset(r, 0, sizeof *r);
	r->handle = (uintptr_t)handle;
	return r;
}

static void keep(Req *r) { Req **at = &table[slot_of(r->handle)]; r->next = *at; *at = r; }

static void drop(Req *r) {
	if (r->plan) free(r->plan->rest), free(r->plan);
	r->next = spare;
	spare = r;
}

/* take removes a request from the table; several may have one handle. */
static Req *take(MPI_Request handle) {
	if (handle == MPI_REQUEST_NULL) return NULL;
	for (Req **at = &table[slot_of((uintptr_t)handle)]; *at; at = &(*at)->next)
		if ((*at)->handle == (uintptr_t)handle) { Req *r = *at; *at = r->next; return r; }
	return NULL;
}

static int take_id(void) { return free_count ? free_ids[--free_count] : next_id++; }

static void give_id(int id) {
	if (free_count == free_room) free_ids = realloc(free_ids, sizeof(int) * (size_t)(free_room = 2 * free_room + 64));
	free_ids[free_count++] = id;
}

static void activate(Req *r) {
	r->active = 1;
	r->id = take_id();
	if (r->receives) r->which = receives++;
}

/* finish completes a request, and returns its number. */
static int finish(Req *r, MPI_Status *s) {
	int id = r->id, flag = 0;
	if (r->receives && s && r->peer != -2) {
		PMPI_Test_cancelled(s, &flag);
		Comm *c = NULL;
		for (int i = 0; i < comm_count; i++) if (comms[i].number == r->comm) c = &comms[i];
		int peer = c ? rank_of(c, s->MPI_SOURCE) : r->peer;
		if (flag) {
			put(CANCELLED);
			put(r->which);
		} else if (peer != r->peer || s->MPI_TAG != r->tag || size_in(s) != r->bytes) {
			put(CAME);
			put(r->which);
			put_signed(peer);
			put_signed(s->MPI_TAG);
			put(size_in(s));
		}
	}
	give_id(id);
	r->active = 0;
	if (r->persistent) keep(r); else drop(r);
	return id;
}

/* ---- messages ---- */

static void message(int kind, Comm *c, int peer, int tag, i64 bytes, int modes) {
	item(kind, c->number);
	put_signed(rank_of(c, peer));
	put_signed(tag_of(tag));
	put(bytes);
	put(modes);
}

static void send_done(const char *name, int count, MPI_Datatype t, int to, int tag, MPI_Comm comm, int modes) {
	Comm *c = between(comm, name);
	if (c) message(SEND, c, to, tag, size_of(count, t), modes | strided(t));
}

#define BLOCKING(NAME, MODES) \
	int MPI_##NAME(const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm) { \
		if (!enter()) return PMPI_##NAME(b, n, t, to, tag, comm); \
		int rc = PMPI_##NAME(b, n, t, to, tag, comm); \
		leave(); \
		send_done("MPI_" #NAME, n, t, to, tag, comm, MODES); \
		resume(); \
		return rc; \
	}
BLOCKING(Send, 0)
BLOCKING(Rsend, 0)
BLOCKING(Ssend, SYNC)
BLOCKING(Bsend, COPIED)

/* started writes the call that starts a request. */
static void started(Req *r) {
	activate(r);
	if (r->plan) {
		item(r->plan->kind, r->plan->comm);
		put(r->plan->modes);
		put_signed(r->id);
		for (size_t i = 0; i < r->plan->length; i++) {
			if (held + 16 > sizeof buffer) flush();
			buffer[held++] = r->plan->rest[i];
		}
		return;
	}
	item(r->parts ? r->into ? PRECV : PSEND : r->receives ? IRECV : ISEND, r->comm);
	put_signed(r->peer);
	put_signed(r->tag);
	put(r->bytes);
	put(r->modes);
	put_signed(r->id);
	if (r->parts) put(r->parts);
}

static Req *describe(MPI_Request handle, Comm *c, int receives, i64 bytes, int peer, int tag, int modes) {
	Req *r = new_request(handle);
	r->receives = receives, r->comm = c->number, r->bytes = bytes, r->peer = rank_of(c, peer), r->tag = tag_of(tag), r->modes = modes;
	return r;
}

#define STARTING(NAME, CONST, RECEIVES, MODES, PERSISTENT) \
	int MPI_##NAME(CONST void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm comm, MPI_Request *q) { \
		if (!enter()) return PMPI_##NAME(b, n, t, peer, tag, comm, q); \
		int rc = PMPI_##NAME(b, n, t, peer, tag, comm, q); \
		leave(); \
		Comm *c = between(comm, "MPI_" #NAME); \
		if (c) { \
			Req *r = describe(*q, c, RECEIVES, size_of(n, t), peer, tag, (MODES) | (RECEIVES ? 0 : strided(t))); \
			r->persistent = PERSISTENT; \
			if (!PERSISTENT) started(r); \
			keep(r); \
		} \
		resume(); \
		return rc; \
	}
STARTING(Isend, const, 0, 0, 0)
STARTING(Irsend, const, 0, 0, 0)
STARTING(Issend, const, 0, SYNC, 0)
STARTING(Ibsend, const, 0, COPIED, 0)
STARTING(Irecv, , 1, 0, 0)
STARTING(Send_init, const, 0, 0, 1)
STARTING(Rsend_init, const, 0, 0, 1)
STARTING(Ssend_init, const, 0, SYNC, 1)
STARTING(Bsend_init, const, 0, COPIED, 1)
STARTING(Recv_init, , 1, 0, 1)

static void start_all(int n, MPI_Request *q) {
	for (int i = 0; i < n; i++) {
		Req *r = take(q[i]);
		if (!r) continue;
		started(r);
		keep(r);
	}
}

int MPI_Start(MPI_Request *q) {
	if (!enter()) return PMPI_Start(q);
	int rc = PMPI_Start(q);
	leave();
	start_all(1, q);
	resume();
	return rc;
}

int MPI_Startall(int n, MPI_Request q[]) {
	if (!enter()) return PMPI_Startall(n, q);
	int rc = PMPI_Startall(n, q);
	leave();
	start_all(n, q);
	resume();
	return rc;
}

/* ---- messages in partitions (MPI 4; not all libraries have them) ---- */

#define PARTITIONED(NAME, RECEIVES) \
	int own_##NAME(void *b, int parts, MPI_Count n, MPI_Datatype t, int peer, int tag, MPI_Comm comm, MPI_Info i, MPI_Request *q) \
		__asm__("MPI_" #NAME); \
	extern int real_##NAME(void *b, int parts, MPI_Count n, MPI_Datatype t, int peer, int tag, MPI_Comm comm, MPI_Info i, MPI_Request *q) \
		__asm__("PMPI_" #NAME) __attribute__((weak)); \
	int own_##NAME(void *b, int parts, MPI_Count n, MPI_Datatype t, int peer, int tag, MPI_Comm comm, MPI_Info i, MPI_Request *q) { \
		if (!enter()) return real_##NAME(b, parts, n, t, peer, tag, comm, i, q); \
		int rc = real_##NAME(b, parts, n, t, peer, tag, comm, i, q); \
		leave(); \
		Comm *c = between(comm, "MPI_" #NAME); \
		if (c) { \
			Req *r = describe(*q, c, 0, (i64)n * size_of(1, t), peer, tag, RECEIVES ? 0 : strided(t)); \
			r->parts = parts, r->into = RECEIVES, r->persistent = 1; \
			keep(r); \
		} \
		resume(); \
		return rc; \
	}
PARTITIONED(Psend_init, 0)
PARTITIONED(Precv_init, 1)

static Req *in_parts(MPI_Request q) {
	Req *r = take(q);
	if (r) keep(r);
	return r && r->parts && r->active ? r : NULL;
}

/* partitions writes that partitions are ready, or that one has arrived. */
static void partitions(int kind, Req *r, int first, i64 number) {
	if (!r) return;
	item(kind, 0);
	put_signed(r->id);
	put_signed(first);
	put(number);
}

/* PREADY_BY wraps a function that makes partitions ready. */
#define PREADY_BY(NAME, WRITE, ARGS, ...) \
	int own_##NAME ARGS __asm__("MPI_" #NAME); \
	extern int real_##NAME ARGS __asm__("PMPI_" #NAME) __attribute__((weak)); \
	int own_##NAME ARGS { \
		if (!enter()) return real_##NAME(__VA_ARGS__); \
		int rc = real_##NAME(__VA_ARGS__); \
		leave(); \
		WRITE; \
		resume(); \
		return rc; \
	}
PREADY_BY(Pready, partitions(PREADY, in_parts(q), p, 1), (int p, MPI_Request q), p, q)
PREADY_BY(Pready_range, partitions(PREADY, in_parts(q), p, last - p + 1), (int p, int last, MPI_Request q), p, last, q)
PREADY_BY(Pready_list, for (int i = 0; i < n; i++) partitions(PREADY, in_parts(q), list[i], 1), (int n, const int list[], MPI_Request q), n, list, q)

int own_Parrived(MPI_Request q, int p, int *flag) __asm__("MPI_Parrived");
extern int real_Parrived(MPI_Request q, int p, int *flag) __asm__("PMPI_Parrived") __attribute__((weak));
int own_Parrived(MPI_Request q, int p, int *flag) {
	if (!enter()) return real_Parrived(q, p, flag);
	int rc = real_Parrived(q, p, flag);
	leave();
	if (*flag) partitions(PARRIVED, in_parts(q), p, found());
	else polled(1);
	resume();
	return rc;
}

int MPI_Recv(void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status *s) {
	if (!enter()) return PMPI_Recv(b, n, t, from, tag, comm, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Recv(b, n, t, from, tag, comm, s);
	leave();
	Comm *c = between(comm, "MPI_Recv");
	if (c && from == MPI_PROC_NULL) message(RECV, c, from, tag, 0, 0);
	else if (c) message(RECV, c, s->MPI_SOURCE, s->MPI_TAG, size_in(s), 0);
	resume();
	return rc;
}

static void exchanged(MPI_Comm comm, i64 bytes, int modes, int to, int tag, int from, int from_tag, MPI_Status *s) {
	Comm *c = between(comm, "MPI_Sendrecv");
	if (!c) return;
	message(SENDRECV, c, to, tag, bytes, modes);
	put_signed(rank_of(c, from == MPI_PROC_NULL ? from : s->MPI_SOURCE));
	put_signed(from == MPI_PROC_NULL ? tag_of(from_tag) : s->MPI_TAG);
	put(from == MPI_PROC_NULL ? 0 : size_in(s));
}

int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *rb, int rn, MPI_Datatype rt, int from, int rtag,
	MPI_Comm comm, MPI_Status *s) {
	if (!enter()) return PMPI_Sendrecv(b, n, t, to, tag, rb, rn, rt, from, rtag, comm, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Sendrecv(b, n, t, to, tag, rb, rn, rt, from, rtag, comm, s);
	leave();
	exchanged(comm, size_of(n, t), strided(t), to, tag, from, rtag, s);
	resume();
	return rc;
}

int MPI_Sendrecv_replace(void *b, int n, MPI_Datatype t, int to, int tag, int from, int rtag, MPI_Comm comm, MPI_Status *s) {
	if (!enter()) return PMPI_Sendrecv_replace(b, n, t, to, tag, from, rtag, comm, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Sendrecv_replace(b, n, t, to, tag, from, rtag, comm, s);
	leave();
	exchanged(comm, size_of(n, t), strided(t), to, tag, from, rtag, s);
	resume();
	return rc;
}

static void probed(MPI_Comm comm, int from, MPI_Status *s) {
	Comm *c = between(comm, "MPI_Probe");
	if (!c) return;
	if (from == MPI_PROC_NULL) message(PROBE, c, from, 0, 0, 0);
	else message(PROBE, c, s->MPI_SOURCE, s->MPI_TAG, size_in(s), 0);
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *s) {
	if (!enter()) return PMPI_Probe(from, tag, comm, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Probe(from, tag, comm, s);
	leave();
	probed(comm, from, s);
	resume();
	return rc;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *s) {
	if (!enter()) return PMPI_Iprobe(from, tag, comm, flag, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Iprobe(from, tag, comm, flag, s);
	leave();
	if (*flag) {
		found();
		probed(comm, from, s);
	} else polled(0);
	resume();
	return rc;
}

/* ---- matched probes: the receive that follows is of the message that was found ---- */

static struct Found { MPI_Message handle; MPI_Comm comm; int peer, tag; i64 bytes; struct Found *next; } *matched;

static void match(MPI_Message m, MPI_Comm comm, int from, MPI_Status *s) {
	probed(comm, from, s);
	if (m == MPI_MESSAGE_NULL || m == MPI_MESSAGE_NO_PROC) return;
	struct Found *f = malloc(sizeof *f);
	*f = (struct Found){m, comm, s->MPI_SOURCE, s->MPI_TAG, size_in(s), matched};
	matched = f;
}

/* unmatch returns what was found, if it was. */
static int unmatch(MPI_Message m, struct Found *found) {
	for (struct Found **at = &matched, *f; (f = *at); at = &f->next)
		if (f->handle == m) { *found = *f; *at = f->next; free(f); return 1; }
	return 0;
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *m, MPI_Status *s) {
	if (!enter()) return PMPI_Mprobe(from, tag, comm, m, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Mprobe(from, tag, comm, m, s);
	leave();
	match(*m, comm, from, s);
	resume();
	return rc;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *m, MPI_Status *s) {
	if (!enter()) return PMPI_Improbe(from, tag, comm, flag, m, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	int rc = PMPI_Improbe(from, tag, comm, flag, m, s);
	leave();
	if (*flag) {
		found();
		match(*m, comm, from, s);
	} else polled(0);
	resume();
	return rc;
}

int MPI_Mrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s) {
	if (!enter()) return PMPI_Mrecv(b, n, t, m, s);
	struct Found f;
	int was = unmatch(*m, &f), rc = PMPI_Mrecv(b, n, t, m, s);
	leave();
	Comm *c = was ? between(f.comm, "MPI_Mrecv") : NULL;
	if (c) message(RECV, c, f.peer, f.tag, f.bytes, 0);
	resume();
	return rc;
}

int MPI_Imrecv(void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Request *q) {
	if (!enter()) return PMPI_Imrecv(b, n, t, m, q);
	struct Found f;
	int was = unmatch(*m, &f), rc = PMPI_Imrecv(b, n, t, m, q);
	leave();
	Comm *c = was ? between(f.comm, "MPI_Imrecv") : NULL;
	if (c) {
		Req *r = describe(*q, c, 1, f.bytes, f.peer, f.tag, 0);
		started(r);
		keep(r);
	}
	resume();
	return rc;
}

/* ---- completion ---- */

/* Room for what a call with many requests needs. */
static Req **asked;
static int *ids;
static MPI_Status *statuses;
static int room;

static void make_room(int n) {
	if (n <= room) return;
	room = 2 * n;
	asked = realloc(asked, sizeof *asked * (size_t)room);
	ids = realloc(ids, sizeof *ids * (size_t)room);
	statuses = realloc(statuses, sizeof *statuses * (size_t)room);
}

/* ask takes the active requests out of the table. */
static void ask(int n, MPI_Request *q) {
	make_room(n + 1);
	for (int i = 0; i < n; i++) {
		asked[i] = take(q[i]);
		if (asked[i] && !asked[i]->active) { keep(asked[i]); asked[i] = NULL; }
	}
}

static void put_back(int n) {
	for (int i = 0; i < n; i++)
		if (asked[i]) keep(asked[i]);
}

/* completed writes a completion: ids[0..done) of among requests. */
static void completed(int kind, int done, int among) {
	i64 tries = kind == TEST ? found() : 0;
	item(kind, 0);
	put(done);
	for (int i = 0; i < done; i++) put_signed(ids[i]);
	if (kind != WAIT && kind != FREE) put(among);
	if (kind == TEST) put(tries);
}

static int finish_all(int n, MPI_Status *s) {
	int done = 0;
	for (int i = 0; i < n; i++)
		if (asked[i]) ids[done++] = finish(asked[i], &s[i]);
	return done;
}

static int finish_some(int outcount, int *indices, MPI_Status *s) {
	int done = 0;
	for (int i = 0; i < outcount; i++) {
		Req **r = &asked[indices[i]];
		if (*r) ids[done++] = finish(*r, &s[i]);
		*r = NULL;
	}
	return done;
}

int MPI_Wait(MPI_Request *q, MPI_Status *s) {
	if (!enter()) return PMPI_Wait(q, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	ask(1, q);
	int rc = PMPI_Wait(q, s);
	leave();
	completed(WAIT, finish_all(1, s), 1);
	resume();
	return rc;
}

int MPI_Waitall(int n, MPI_Request q[], MPI_Status s[]) {
	if (!enter()) return PMPI_Waitall(n, q, s);
	ask(n, q);
	if (s == MPI_STATUSES_IGNORE) s = statuses;
	int rc = PMPI_Waitall(n, q, s);
	leave();
	completed(WAIT, finish_all(n, s), n);
	resume();
	return rc;
}

int MPI_Waitany(int n, MPI_Request q[], int *index, MPI_Status *s) {
	if (!enter()) return PMPI_Waitany(n, q, index, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	ask(n, q);
	int rc = PMPI_Waitany(n, q, index, s);
	leave();
	int done = *index == MPI_UNDEFINED ? 0 : finish_some(1, index, s);
	completed(WAITANY, done, n);
	put_back(n);
	resume();
	return rc;
}

int MPI_Waitsome(int n, MPI_Request q[], int *count, int indices[], MPI_Status s[]) {
	if (!enter()) return PMPI_Waitsome(n, q, count, indices, s);
	ask(n, q);
	if (s == MPI_STATUSES_IGNORE) s = statuses;
	int rc = PMPI_Waitsome(n, q, count, indices, s);
	leave();
	int done = *count == MPI_UNDEFINED ? 0 : finish_some(*count, indices, s);
	completed(WAITSOME, done, n);
	put_back(n);
	resume();
	return rc;
}

int MPI_Test(MPI_Request *q, int *flag, MPI_Status *s) {
	if (!enter()) return PMPI_Test(q, flag, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	ask(1, q);
	int rc = PMPI_Test(q, flag, s);
	leave();
	if (*flag) completed(TEST, finish_all(1, s), 1);
	else { put_back(1); polled(1); }
	resume();
	return rc;
}

int MPI_Testall(int n, MPI_Request q[], int *flag, MPI_Status s[]) {
	if (!enter()) return PMPI_Testall(n, q, flag, s);
	ask(n, q);
	if (s == MPI_STATUSES_IGNORE) s = statuses;
	int rc = PMPI_Testall(n, q, flag, s);
	leave();
	if (*flag) completed(TEST, finish_all(n, s), n);
	else { put_back(n); polled(n); }
	resume();
	return rc;
}

int MPI_Testany(int n, MPI_Request q[], int *index, int *flag, MPI_Status *s) {
	if (!enter()) return PMPI_Testany(n, q, index, flag, s);
	MPI_Status mine;
	if (s == MPI_STATUS_IGNORE) s = &mine;
	ask(n, q);
	int rc = PMPI_Testany(n, q, index, flag, s);
	leave();
	if (*flag && *index != MPI_UNDEFINED) completed(TEST, finish_some(1, index, s), n);
	else polled(n);
	put_back(n);
	resume();
	return rc;
}

int MPI_Testsome(int n, MPI_Request q[], int *count, int indices[], MPI_Status s[]) {
	if (!enter()) return PMPI_Testsome(n, q, count, indices, s);
	ask(n, q);
	if (s == MPI_STATUSES_IGNORE) s = statuses;
	int rc = PMPI_Testsome(n, q, count, indices, s);
	leave();
	if (*count > 0) completed(TEST, finish_some(*count, indices, s), n);
	else polled(n);
	put_back(n);
	resume();
	return rc;
}

int MPI_Request_free(MPI_Request *q) {
	if (!enter()) return PMPI_Request_free(q);
	Req *r = take(*q);
	int rc = PMPI_Request_free(q);
	leave();
	if (r && r->active) {
		r->persistent = 0;
		ids[0] = finish((make_room(1), r), NULL);
		completed(FREE, 1, 1);
	} else if (r) drop(r);
	resume();
	return rc;
}

/* ---- collectives ---- */

static int request_of(MPI_Request *q) {
	if (!q) return -1;
	Req *r = new_request(*q);
	activate(r);
	keep(r);
	return r->id;
}

/* collective begins what is written: q is the request of a non-blocking one, else NULL. */
static void collective(int kind, Comm *c, i64 bytes, int modes, MPI_Request *q) {
	if (planned) {
		planned->kind = kind, planned->comm = c->number, planned->modes = modes | START;
		put(bytes);
		return;
	}
	int id = request_of(q);
	item(kind, c->number);
	put(modes | (q ? START : 0));
	put_signed(id);
	put(bytes);
}

static void rooted(int kind, Comm *c, i64 bytes, int modes, MPI_Request *q, int root) {
	collective(kind, c, bytes, modes, q);
	put_signed(rank_of(c, root));
}

static void no_sizes(int lists) { for (; lists > 0; lists--) put(0); }

static i64 sum_of(int n, const int counts[], MPI_Datatype t) {
	i64 sum = 0;
	for (int i = 0; i < n; i++) sum += size_of(counts[i], t);
	return sum;
}

static void put_sizes(int n, const int counts[], MPI_Datatype t) {
	put(n + 1);
	for (int i = 0; i < n; i++) put(size_of(counts[i], t));
}

static void put_sizes_of(int n, const int counts[], const MPI_Datatype t[]) {
	put(n + 1);
	for (int i = 0; i < n; i++) put(size_of(counts[i], t[i]));
}

#define LIST(...) __VA_ARGS__

/* PERSISTENT wraps the persistent form of a collective: what is written when it is started is kept. */
#if MPI_VERSION >= 4
static void persists(MPI_Request q, Plan *p) {
	Req *r = new_request(q);
	r->persistent = 1, r->plan = p;
	keep(r);
}
#define PERSISTENT(NAME, PARAMETERS, ARGUMENTS, WRITE) \
	int MPI_##NAME##_init(LIST PARAMETERS, MPI_Info info, MPI_Request *q) { \
		if (!enter()) return PMPI_##NAME##_init(LIST ARGUMENTS, info, q); \
		int rc = PMPI_##NAME##_init(LIST ARGUMENTS, info, q); \
		leave(); \
		Comm *c = known(comm, "MPI_" #NAME "_init"); \
		if (c) { \
			planned = calloc(1, sizeof *planned); \
			WRITE \
			persists(*q, planned); \
			planned = NULL; \
		} \
		resume(); \
		return rc; \
	}
#else
#define PERSISTENT(NAME, PARAMETERS, ARGUMENTS, WRITE)
#endif

/* COLLECTIVE wraps a function, its non-blocking form, and the persistent one. WRITE says what is written: c is the communicator,
 * q the request or NULL. */
#define COLLECTIVE(NAME, INAME, PARAMETERS, ARGUMENTS, WRITE) \
	int MPI_##NAME(LIST PARAMETERS) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS); \
		int rc = PMPI_##NAME(LIST ARGUMENTS); \
		leave(); \
		Comm *c = known(comm, "MPI_" #NAME); \
		MPI_Request *q = NULL; \
		if (c) { WRITE } \
		resume(); \
		return rc; \
	} \
	int MPI_##INAME(LIST PARAMETERS, MPI_Request *q) { \
		if (!enter()) return PMPI_##INAME(LIST ARGUMENTS, q); \
		int rc = PMPI_##INAME(LIST ARGUMENTS, q); \
		leave(); \
		Comm *c = known(comm, "MPI_" #INAME); \
		if (c) { WRITE } \
		resume(); \
		return rc; \
	} \
	PERSISTENT(NAME, PARAMETERS, ARGUMENTS, WRITE)

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm), collective(BARRIER, c, 0, 0, q);)
COLLECTIVE(Bcast, Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm), (b, n, t, root, comm),
	rooted(BROADCAST, c, size_of(n, t), 0, q, root);)
COLLECTIVE(Reduce, Ireduce, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
	(b, rb, n, t, op, root, comm), rooted(REDUCE, c, size_of(n, t), 0, q, root);)
COLLECTIVE(Allreduce, Iallreduce, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (b, rb, n, t, op, comm),
	collective(ALLREDUCE, c, size_of(n, t), 0, q);)
COLLECTIVE(Scan, Iscan, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (b, rb, n, t, op, comm),
	collective(SCAN, c, size_of(n, t), 0, q);)
COLLECTIVE(Exscan, Iexscan, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), (b, rb, n, t, op, comm),
	collective(SCAN, c, size_of(n, t), 0, q);)
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, (const void *b, void *rb, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm),
	(b, rb, n, t, op, comm), collective(REDUCESCATTER, c, size_of(n, t) * c->size, 0, q); no_sizes(2);)
COLLECTIVE(Reduce_scatter, Ireduce_scatter, (const void *b, void *rb, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm),
	(b, rb, n, t, op, comm),
	collective(REDUCESCATTER, c, sum_of(c->size, n, t), UNEVEN, q); no_sizes(1); put_sizes(c->size, n, t);)
COLLECTIVE(Allgather, Iallgather, (const void *b, int n, MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, MPI_Comm comm),
	(b, n, t, rb, rn, rt, comm), collective(ALLGATHER, c, size_of(rn, rt) * c->size, 0, q); no_sizes(2);)
COLLECTIVE(Allgatherv, Iallgatherv,
	(const void *b, int n, MPI_Datatype t, void *rb, const int rn[], const int at[], MPI_Datatype rt, MPI_Comm comm),
	(b, n, t, rb, rn, at, rt, comm),
	collective(ALLGATHER, c, sum_of(c->size, rn, rt), UNEVEN, q); no_sizes(1); put_sizes(c->size, rn, rt);)
COLLECTIVE(Alltoall, Ialltoall, (const void *b, int n, MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, MPI_Comm comm),
	(b, n, t, rb, rn, rt, comm), collective(ALLTOALL, c, size_of(rn, rt) * c->size, 0, q); no_sizes(2);)
COLLECTIVE(Alltoallv, Ialltoallv, (const void *b, const int n[], const int at[], MPI_Datatype t, void *rb, const int rn[],
	const int rat[], MPI_Datatype rt, MPI_Comm comm), (b, n, at, t, rb, rn, rat, rt, comm),
	collective(ALLTOALL, c, sum_of(c->size, rn, rt), UNEVEN, q);
	if (b == MPI_IN_PLACE) put_sizes(c->size, rn, rt); else put_sizes(c->size, n, t);
	put_sizes(c->size, rn, rt);)
COLLECTIVE(Alltoallw, Ialltoallw, (const void *b, const int n[], const int at[], const MPI_Datatype t[], void *rb, const int rn[],
	const int rat[], const MPI_Datatype rt[], MPI_Comm comm), (b, n, at, t, rb, rn, rat, rt, comm),
	collective(ALLTOALL, c, 0, UNEVEN, q);
	if (b == MPI_IN_PLACE) put_sizes_of(c->size, rn, rt); else put_sizes_of(c->size, n, t);
	put_sizes_of(c->size, rn, rt);)

static int is_root(Comm *c, int root) { return rank_of(c, root) == me; }

COLLECTIVE(Gather, Igather, (const void *b, int n, MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
	(b, n, t, rb, rn, rt, root, comm),
	rooted(GATHER, c, (is_root(c, root) ? size_of(rn, rt) : size_of(n, t)) * c->size, 0, q, root); no_sizes(2);)
COLLECTIVE(Scatter, Iscatter, (const void *b, int n, MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, int root, MPI_Comm comm),
	(b, n, t, rb, rn, rt, root, comm),
	rooted(SCATTER, c, (is_root(c, root) ? size_of(n, t) : size_of(rn, rt)) * c->size, 0, q, root); no_sizes(2);)
COLLECTIVE(Gatherv, Igatherv, (const void *b, int n, MPI_Datatype t, void *rb, const int rn[], const int at[], MPI_Datatype rt, int root,
	MPI_Comm comm), (b, n, t, rb, rn, at, rt, root, comm),
	rooted(GATHER, c, is_root(c, root) ? sum_of(c->size, rn, rt) : size_of(n, t), UNEVEN, q, root); no_sizes(1);
	if (is_root(c, root)) put_sizes(c->size, rn, rt); else no_sizes(1);)
COLLECTIVE(Scatterv, Iscatterv, (const void *b, const int n[], const int at[], MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, int root,
	MPI_Comm comm), (b, n, at, t, rb, rn, rt, root, comm),
	rooted(SCATTER, c, is_root(c, root) ? sum_of(c->size, n, t) : size_of(rn, rt), UNEVEN, q, root);
	if (is_root(c, root)) put_sizes(c->size, n, t); else no_sizes(1);
	no_sizes(1);)

/* ---- neighbourhoods ---- */

static int *sources, *sinks, source_count, sink_count;

/* neighbours finds those of a communicator. */
static void neighbours(MPI_Comm comm, Comm *c) {
	int kind, dims = 0, weighted;
	source_count = sink_count = 0;
	PMPI_Topo_test(comm, &kind);
	if (kind == MPI_CART) {
		PMPI_Cartdim_get(comm, &dims);
		source_count = sink_count = 2 * dims;
	} else if (kind == MPI_DIST_GRAPH) {
		PMPI_Dist_graph_neighbors_count(comm, &source_count, &sink_count, &weighted);
	} else if (kind == MPI_GRAPH) {
		int my;
		PMPI_Comm_rank(comm, &my);
		PMPI_Graph_neighbors_count(comm, my, &source_count);
		sink_count = source_count;
	}
	sources = realloc(sources, sizeof(int) * (size_t)(source_count + 1));
	sinks = realloc(sinks, sizeof(int) * (size_t)(sink_count + 1));
	for (int i = 0; i < dims; i++) PMPI_Cart_shift(comm, i, 1, &sources[2 * i], &sources[2 * i + 1]);
	if (kind == MPI_DIST_GRAPH)
		PMPI_Dist_graph_neighbors(comm, source_count, sources, MPI_UNWEIGHTED, sink_count, sinks, MPI_UNWEIGHTED);
	if (kind == MPI_GRAPH) {
		int my;
		PMPI_Comm_rank(comm, &my);
		PMPI_Graph_neighbors(comm, my, source_count, sources);
	}
	for (int i = 0; i < sink_count && kind != MPI_DIST_GRAPH; i++) sinks[i] = sources[i];
	for (int i = 0; i < source_count; i++) sources[i] = rank_of(c, sources[i]);
	for (int i = 0; i < sink_count; i++) sinks[i] = rank_of(c, sinks[i]);
}

static void put_ranks(int n, const int *list) {
	put(n);
	for (int i = 0; i < n; i++) put_signed(list[i]);
}

static void put_equal(int n, i64 bytes) {
	put(n + 1);
	for (int i = 0; i < n; i++) put(bytes);
}

/* nearby writes a neighbourhood's call; counts are per neighbour if n or rn is NULL. */
static void nearby(int kind, MPI_Comm comm, Comm *c, MPI_Request *q, const int *n, i64 each, MPI_Datatype t, const int *rn, i64 reach,
	MPI_Datatype rt) {
	neighbours(comm, c);
	collective(kind, c, 0, 0, q);
	if (n) put_sizes(sink_count, n, t); else put_equal(sink_count, each);
	if (rn) put_sizes(source_count, rn, rt); else put_equal(source_count, reach);
	put_ranks(sink_count, sinks);
	put_ranks(source_count, sources);
}

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
	(const void *b, int n, MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, MPI_Comm comm), (b, n, t, rb, rn, rt, comm),
	nearby(NEARGATHER, comm, c, q, NULL, size_of(n, t), t, NULL, size_of(rn, rt), rt);)
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, (const void *b, int n, MPI_Datatype t, void *rb, const int rn[], const int at[],
	MPI_Datatype rt, MPI_Comm comm), (b, n, t, rb, rn, at, rt, comm),
	nearby(NEARGATHER, comm, c, q, NULL, size_of(n, t), t, rn, 0, rt);)
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
	(const void *b, int n, MPI_Datatype t, void *rb, int rn, MPI_Datatype rt, MPI_Comm comm), (b, n, t, rb, rn, rt, comm),
	nearby(NEAREXCHANGE, comm, c, q, NULL, size_of(n, t), t, NULL, size_of(rn, rt), rt);)
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, (const void *b, const int n[], const int at[], MPI_Datatype t, void *rb,
	const int rn[], const int rat[], MPI_Datatype rt, MPI_Comm comm), (b, n, at, t, rb, rn, rat, rt, comm),
	nearby(NEAREXCHANGE, comm, c, q, n, 0, t, rn, 0, rt);)

/* ---- communicators are made and freed ---- */

/* MAKING wraps a function that makes *made_comm out of comm. */
#define MAKING(NAME, PARAMETERS, ARGUMENTS) \
	int MPI_##NAME(LIST PARAMETERS, MPI_Comm *made_comm) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS, made_comm); \
		int rc = PMPI_##NAME(LIST ARGUMENTS, made_comm); \
		leave(); \
		Comm *c = between(comm, "MPI_" #NAME); \
		if (c) item(MAKE, c->number); \
		made(*made_comm); \
		resume(); \
		return rc; \
	}
MAKING(Comm_dup, (MPI_Comm comm), (comm))
MAKING(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
MAKING(Comm_split, (MPI_Comm comm, int color, int key), (comm, color, key))
MAKING(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info), (comm, type, key, info))
MAKING(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
MAKING(Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder), (comm, n, dims, periods, reorder))
MAKING(Cart_sub, (MPI_Comm comm, const int remain[]), (comm, remain))
MAKING(Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder), (comm, n, index, edges, reorder))
MAKING(Dist_graph_create, (MPI_Comm comm, int n, const int s[], const int degrees[], const int d[], const int w[], MPI_Info info,
	int reorder), (comm, n, s, degrees, d, w, info, reorder))
MAKING(Dist_graph_create_adjacent, (MPI_Comm comm, int n, const int s[], const int sw[], int m, const int d[], const int dw[],
	MPI_Info info, int reorder), (comm, n, s, sw, m, d, dw, info, reorder))

/* AMONG wraps a function that makes *n among those who are in it then. */
#define AMONG(NAME, PARAMETERS, ARGUMENTS) \
	int MPI_##NAME(LIST PARAMETERS, MPI_Comm *n) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS, n); \
		int rc = PMPI_##NAME(LIST ARGUMENTS, n); \
		leave(); \
		made(*n); \
		if (comm_of(*n)) item(MAKE, comm_of(*n)->number); \
		resume(); \
		return rc; \
	}
AMONG(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
AMONG(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peers, int other, int tag), (comm, leader, peers, other, tag))
AMONG(Intercomm_merge, (MPI_Comm comm, int high), (comm, high))

#define FREEING(NAME) \
	int MPI_##NAME(MPI_Comm *comm) { \
		if (!enter()) return PMPI_##NAME(comm); \
		forget(*comm); \
		int rc = PMPI_##NAME(comm); \
		leave(); \
		resume(); \
		return rc; \
	}
FREEING(Comm_free)
FREEING(Comm_disconnect)

/* ---- one-sided: a window is a communicator; its synchronisation is waits, a barrier, or messages of no bytes ---- */

enum { POSTED, COMPLETED }; /* tags of those messages */
typedef struct { int size, *ranks; } Group;
typedef struct Win {
	MPI_Win handle;
	int number, *ranks, size, open, room; /* of operations that have not been waited for */
	struct { int id, peer; } *pending;
	Group to, from; /* of start, and of post */
	struct Win *next;
} Win;
static Win *wins;

static Win *win_of(MPI_Win w, const char *name) {
	for (Win *x = wins; x; x = x->next)
		if (x->handle == w) return x;
	miss(name);
	return NULL;
}

static void opened(MPI_Win w, MPI_Comm comm, const char *name) {
	Comm *c = known(comm, name);
	if (!c) return;
	Win *x = calloc(1, sizeof *x);
	item(MAKE, c->number);
	x->handle = w, x->ranks = members_of(comm, &x->size), x->number = name_of_members(comm), x->next = wins;
	wins = x;
}

#define OPENING(NAME, PARAMETERS, ARGUMENTS) \
	int MPI_##NAME(LIST PARAMETERS, MPI_Win *w) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS, w); \
		int rc = PMPI_##NAME(LIST ARGUMENTS, w); \
		leave(); \
		opened(*w, comm, "MPI_" #NAME); \
		resume(); \
		return rc; \
	}
OPENING(Win_create, (void *b, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm), (b, size, unit, info, comm))
OPENING(Win_allocate, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *b), (size, unit, info, comm, b))
OPENING(Win_allocate_shared, (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *b), (size, unit, info, comm, b))
OPENING(Win_create_dynamic, (MPI_Info info, MPI_Comm comm), (info, comm))

/* synchronised waits for the operations on a rank, or on all, and then meets all if asked to. */
static void synchronised(Win *w, int peer, int meets) {
	int done = 0, left = 0;
	make_room(w->open + 1);
	for (int i = 0; i < w->open; i++)
		if (peer < 0 || w->pending[i].peer == peer) {
			ids[done++] = w->pending[i].id;
			give_id(w->pending[i].id);
		} else w->pending[left++] = w->pending[i];
	w->open = left;
	if (done) completed(WAIT, done, done);
	if (!meets) return;
	item(BARRIER, w->number);
	put(0);
	put_signed(-1);
	put(0);
}

int MPI_Win_free(MPI_Win *w) {
	if (!enter()) return PMPI_Win_free(w);
	Win *x = win_of(*w, "MPI_Win_free");
	int rc = PMPI_Win_free(w);
	leave();
	if (x) {
		synchronised(x, -1, 1);
		for (Win **at = &wins; *at; at = &(*at)->next)
			if (*at == x) { *at = x->next; break; }
		free(x->ranks), free(x->pending), free(x->to.ranks), free(x->from.ranks), free(x);
	}
	resume();
	return rc;
}

/* operation writes one: its request is that of the caller, or waits for the synchronisation. */
static void operation(int kind, MPI_Win win, int peer, i64 bytes, MPI_Request *q, const char *name) {
	Win *w = win_of(win, name);
	if (!w) return;
	int id = q ? request_of(q) : take_id();
	item(kind, w->number);
	put_signed(peer == MPI_PROC_NULL ? -2 : w->ranks[peer]);
	put(bytes);
	put_signed(id);
	if (q) return;
	if (w->open == w->room) w->pending = realloc(w->pending, sizeof *w->pending * (size_t)(w->room = 2 * w->room + 16));
	w->pending[w->open].id = id, w->pending[w->open++].peer = peer;
}

/* REMOTE wraps an operation and, as R..., its form with a request. */
#define REMOTE_AS(NAME, KIND, BYTES, Q, PARAMETERS, ARGUMENTS) \
	int MPI_##NAME(LIST PARAMETERS) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS); \
		int rc = PMPI_##NAME(LIST ARGUMENTS); \
		leave(); \
		operation(KIND, w, peer, BYTES, Q, "MPI_" #NAME); \
		resume(); \
		return rc; \
	}
#define REMOTE(NAME, RNAME, KIND, BYTES, PARAMETERS, ARGUMENTS) \
	REMOTE_AS(NAME, KIND, BYTES, NULL, PARAMETERS, ARGUMENTS) \
	REMOTE_AS(RNAME, KIND, BYTES, q, (LIST PARAMETERS, MPI_Request *q), (LIST ARGUMENTS, q))
REMOTE(Put, Rput, PUT, size_of(rn, rt),
	(const void *b, int n, MPI_Datatype t, int peer, MPI_Aint at, int rn, MPI_Datatype rt, MPI_Win w), (b, n, t, peer, at, rn, rt, w))
REMOTE(Get, Rget, GET, size_of(rn, rt), (void *b, int n, MPI_Datatype t, int peer, MPI_Aint at, int rn, MPI_Datatype rt, MPI_Win w),
	(b, n, t, peer, at, rn, rt, w))
REMOTE(Accumulate, Raccumulate, PUT, size_of(rn, rt),
	(const void *b, int n, MPI_Datatype t, int peer, MPI_Aint at, int rn, MPI_Datatype rt, MPI_Op op, MPI_Win w),
	(b, n, t, peer, at, rn, rt, op, w))
REMOTE(Get_accumulate, Rget_accumulate, GET, size_of(rn, rt), (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype mt,
	int peer, MPI_Aint at, int rn, MPI_Datatype rt, MPI_Op op, MPI_Win w), (b, n, t, to, m, mt, peer, at, rn, rt, op, w))
REMOTE_AS(Fetch_and_op, GET, size_of(1, t), NULL,
	(const void *b, void *to, MPI_Datatype t, int peer, MPI_Aint at, MPI_Op op, MPI_Win w), (b, to, t, peer, at, op, w))
REMOTE_AS(Compare_and_swap, GET, size_of(1, t), NULL,
	(const void *b, const void *with, void *to, MPI_Datatype t, int peer, MPI_Aint at, MPI_Win w), (b, with, to, t, peer, at, w))

/* SYNCHRONISING wraps what ends operations on a rank, or, with -1, on all. */
#define SYNCHRONISING(NAME, PEER, MEETS, PARAMETERS, ARGUMENTS) \
	int MPI_##NAME(LIST PARAMETERS) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS); \
		int rc = PMPI_##NAME(LIST ARGUMENTS); \
		leave(); \
		Win *x = win_of(w, "MPI_" #NAME); \
		if (x) synchronised(x, PEER, MEETS); \
		resume(); \
		return rc; \
	}
SYNCHRONISING(Win_fence, -1, 1, (int assertion, MPI_Win w), (assertion, w))
SYNCHRONISING(Win_unlock, peer, 0, (int peer, MPI_Win w), (peer, w))
SYNCHRONISING(Win_unlock_all, -1, 0, (MPI_Win w), (w))
SYNCHRONISING(Win_flush, peer, 0, (int peer, MPI_Win w), (peer, w))
SYNCHRONISING(Win_flush_all, -1, 0, (MPI_Win w), (w))
SYNCHRONISING(Win_flush_local, peer, 0, (int peer, MPI_Win w), (peer, w))
SYNCHRONISING(Win_flush_local_all, -1, 0, (MPI_Win w), (w))

/* tell writes messages of no bytes to the members of a group, or from them. */
static void tell(Win *w, int kind, Group *g, int tag) {
	for (int i = 0; i < g->size; i++) {
		item(kind, w->number);
		put_signed(g->ranks[i]);
		put_signed(tag);
		put(0);
		put(0);
	}
}

static void keep_group(Group *to, MPI_Group group) {
	MPI_Group mine;
	PMPI_Group_size(group, &to->size);
	PMPI_Group_union(group, MPI_GROUP_EMPTY, &mine);
	free(to->ranks);
	to->ranks = list_of(mine, to->size);
}

#define MEETING(NAME, PARAMETERS, ARGUMENTS, WRITE) \
	int MPI_##NAME(LIST PARAMETERS) { \
		if (!enter()) return PMPI_##NAME(LIST ARGUMENTS); \
		int rc = PMPI_##NAME(LIST ARGUMENTS); \
		leave(); \
		Win *x = win_of(w, "MPI_" #NAME); \
		if (x) { WRITE } \
		resume(); \
		return rc; \
	}
MEETING(Win_post, (MPI_Group g, int assertion, MPI_Win w), (g, assertion, w), keep_group(&x->from, g); tell(x, SEND, &x->from, POSTED);)
MEETING(Win_start, (MPI_Group g, int assertion, MPI_Win w), (g, assertion, w), keep_group(&x->to, g); tell(x, RECV, &x->to, POSTED);)
MEETING(Win_complete, (MPI_Win w), (w), synchronised(x, -1, 0); tell(x, SEND, &x->to, COMPLETED);)
MEETING(Win_wait, (MPI_Win w), (w), tell(x, RECV, &x->from, COMPLETED);)

/* ---- what is only counted ----
 *
 * Not all libraries have all of these, and their arguments differ: integers and pointers, at most 18. They are passed on as
 * they came, whatever they are. */
typedef void *A;
#define COUNTED(NAME) \
	int counted_##NAME(A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A) __asm__("MPI_" #NAME); \
	extern int real_##NAME(A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A) __asm__("PMPI_" #NAME) __attribute__((weak)); \
	int counted_##NAME(A a, A b, A c, A d, A e, A f, A g, A h, A i, A j, A k, A l, A m, A n, A o, A p, A q, A r) { \
		int own = enter(); \
		if (own) miss("MPI_" #NAME); \
		int rc = real_##NAME(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r); \
		if (own) leave(), resume(); \
		return rc; \
	}
#define COUNTED4(A, B, C, D) COUNTED(A) COUNTED(B) COUNTED(C) COUNTED(D)
COUNTED4(Comm_idup, Comm_idup_with_info, Comm_spawn, Comm_spawn_multiple)
COUNTED(Win_test)
COUNTED4(Neighbor_alltoallw, Ineighbor_alltoallw, Isendrecv, Isendrecv_replace)
COUNTED(Neighbor_alltoallw_init)
COUNTED4(Send_c, Isend_c, Recv_c, Irecv_c) /* counts of 64 bits */
COUNTED4(Ssend_c, Issend_c, Sendrecv_c, Mrecv_c)
COUNTED4(Send_init_c, Recv_init_c, Bcast_c, Ibcast_c)
COUNTED4(Reduce_c, Ireduce_c, Allreduce_c, Iallreduce_c)
COUNTED4(Allgather_c, Iallgather_c, Allgatherv_c, Iallgatherv_c)
COUNTED4(Alltoall_c, Ialltoall_c, Alltoallv_c, Ialltoallv_c)
COUNTED4(Gather_c, Gatherv_c, Scatter_c, Scatterv_c)
COUNTED4(Put_c, Get_c, Accumulate_c, Neighbor_alltoallv_c)

/* ---- phases, begin and end ---- */

int MPI_Pcontrol(const int level, ...) {
	if (on && level >= 0 && level < 255) phase = level;
	return MPI_SUCCESS;
}

static void begin(void) {
	const char *folder = getenv("OVERLAPSIM_RECORD");
	char name[4096], text[2 * MPI_MAX_PROCESSOR_NAME + MPI_MAX_LIBRARY_VERSION_STRING];
	int length;
	if (!folder) return;
	PMPI_Comm_rank(MPI_COMM_WORLD, &me);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	snprintf(name, sizeof name, "%s/rank-%d", folder, me);
	if ((out = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666)) < 0) {
		fprintf(stderr, "overlapsim record: cannot write %s\n", name);
		return;
	}
	put(1); /* version */
	put(me);
	put(ranks);
	PMPI_Get_processor_name(text, &length);
	strcat(text, ", ");
	PMPI_Get_library_version(text + strlen(text), &length);
	text[strcspn(text, "\n\r")] = 0;
	put(WHERE);
	put_text(text);
	Comm *world = add_comm(MPI_COMM_WORLD);
	world->number = next_comm++;
	Comm *self = add_comm(MPI_COMM_SELF);
	self->number = next_comm++;
	self->ranks = malloc(sizeof(int));
	self->ranks[0] = me;
	put(COMM), put(self->number), put(me), put(led++), put(1), put(me);
	master = pthread_self();
	on = 1;
	resume();
}

static void put_missing(i64 calls, const char *name) {
	put(MISSING);
	put(calls);
	put_text(name);
}

static void end(void) {
	if (!enter()) return;
	on = 0;
	took = 0;
	item(END, 0);
	for (int i = 0; i < MISSED && missing[i].name; i++) put_missing(missing[i].calls, missing[i].name);
	if (others) put_missing(others, "MPI calls of other threads");
	put(DONE);
	flush();
	close(out);
}

int MPI_Init(int *argc, char ***argv) {
	int rc = PMPI_Init(argc, argv);
	if (!on) begin();
	return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
	int rc = PMPI_Init_thread(argc, argv, required, provided);
	if (!on) begin();
	return rc;
}

int MPI_Finalize(void) {
	end(); /* before: some libraries hang in MPI_Finalize */
	return PMPI_Finalize();
}

/* ---- Fortran ----
 *
 * Open MPI's functions of mpif.h and the module mpi call the profiling interface; those of the module mpi_f08 call ompi_NAME_f,
 * or pmpi_NAME_ where an argument is a logical. All three have the same arguments, and are replaced here. MPICH's call those
 * above, except for functions of mpi_f08 without a buffer, which call the profiling interface, and are replaced. There
 * handles and statuses of Fortran are those of C, and the error may be absent. */
typedef MPI_Fint F;
static F no_error;
#define RC(e) *((e) ? (e) : &no_error)
#ifdef OPEN_MPI
#define FORTRAN(LOWER) mpi_##LOWER##_
/* NAMED gives a function its other names. */
#define NAMED(LOWER) \
	void ompi_##LOWER##_f() __attribute__((alias("mpi_" #LOWER "_"))); \
	void pmpi_##LOWER##_() __attribute__((alias("mpi_" #LOWER "_")));
#else
#define FORTRAN(LOWER) mpi_##LOWER##_f08_
#define NAMED(LOWER)
#endif
#define COMM_(c) PMPI_Comm_f2c(*(c))
#define TYPE_(t) PMPI_Type_f2c(*(t))
#define OP_(o) PMPI_Op_f2c(*(o))

static int is_constant(const void *b, const char *name, void **known_at) {
	if (!*known_at) *known_at = dlsym(RTLD_DEFAULT, name);
	return b && b == *known_at;
}

static void *buffer_of(void *b) {
	static void *in_place, *bottom;
	if (is_constant(b, "mpi_fortran_in_place_", &in_place)) return MPI_IN_PLACE;
	if (is_constant(b, "mpi_fortran_bottom_", &bottom)) return MPI_BOTTOM;
	return b;
}
#define B(b) buffer_of(b)

static void give_status(const MPI_Status *s, F *f) { if (f != MPI_F_STATUS_IGNORE) PMPI_Status_c2f(s, f); }

static MPI_Request *requests_of(int n, const F *f) {
	MPI_Request *q = malloc(sizeof *q * (size_t)(n + 1));
	for (int i = 0; i < n; i++) q[i] = PMPI_Request_f2c(f[i]);
	return q;
}

static void give_requests(int n, MPI_Request *q, F *f) {
	for (int i = 0; i < n; i++) f[i] = PMPI_Request_c2f(q[i]);
	free(q);
}

static void give_statuses(int n, MPI_Status *s, F *f) {
	static void *ignored; /* of MPICH's mpi_f08 */
	if (f != MPI_F_STATUSES_IGNORE && !is_constant(f, "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", &ignored))
		for (int i = 0; i < n; i++) PMPI_Status_c2f(&s[i], f + (size_t)i * (sizeof(MPI_Status) / sizeof(int)));
	free(s);
}

void FORTRAN(init)(F *e) { RC(e) = MPI_Init(NULL, NULL); }
NAMED(init)
void FORTRAN(init_thread)(F *required, F *provided, F *e) { RC(e) = MPI_Init_thread(NULL, NULL, *required, provided); }
NAMED(init_thread)
void FORTRAN(finalize)(F *e) { RC(e) = MPI_Finalize(); }
NAMED(finalize)
void FORTRAN(pcontrol)(F *level) { MPI_Pcontrol(*level); }
NAMED(pcontrol)

#define F_SENDS(LOWER, NAME) \
	void FORTRAN(LOWER)(void *b, F *n, F *t, F *to, F *tag, F *c, F *e) { RC(e) = NAME(B(b), *n, TYPE_(t), *to, *tag, COMM_(c)); } \
	NAMED(LOWER)
F_SENDS(send, MPI_Send)
F_SENDS(ssend, MPI_Ssend)
F_SENDS(rsend, MPI_Rsend)
F_SENDS(bsend, MPI_Bsend)

#define F_STARTS(LOWER, NAME) \
	void FORTRAN(LOWER)(void *b, F *n, F *t, F *peer, F *tag, F *c, F *f, F *e) { \
		MPI_Request q; \
		RC(e) = NAME(B(b), *n, TYPE_(t), *peer, *tag, COMM_(c), &q); \
		*f = PMPI_Request_c2f(q); \
	} \
	NAMED(LOWER)
F_STARTS(isend, MPI_Isend)
F_STARTS(issend, MPI_Issend)
F_STARTS(irsend, MPI_Irsend)
F_STARTS(ibsend, MPI_Ibsend)
F_STARTS(irecv, MPI_Irecv)
F_STARTS(send_init, MPI_Send_init)
F_STARTS(recv_init, MPI_Recv_init)

void FORTRAN(recv)(void *b, F *n, F *t, F *from, F *tag, F *c, F *f, F *e) {
	MPI_Status s;
	RC(e) = MPI_Recv(B(b), *n, TYPE_(t), *from, *tag, COMM_(c), &s);
	give_status(&s, f);
}
NAMED(recv)

void FORTRAN(sendrecv)(void *b, F *n, F *t, F *to, F *tag, void *rb, F *rn, F *rt, F *from, F *rtag, F *c, F *f, F *e) {
	MPI_Status s;
	RC(e) = MPI_Sendrecv(B(b), *n, TYPE_(t), *to, *tag, B(rb), *rn, TYPE_(rt), *from, *rtag, COMM_(c), &s);
	give_status(&s, f);
}
NAMED(sendrecv)

void FORTRAN(sendrecv_replace)(void *b, F *n, F *t, F *to, F *tag, F *from, F *rtag, F *c, F *f, F *e) {
	MPI_Status s;
	RC(e) = MPI_Sendrecv_replace(B(b), *n, TYPE_(t), *to, *tag, *from, *rtag, COMM_(c), &s);
	give_status(&s, f);
}
NAMED(sendrecv_replace)

void FORTRAN(probe)(F *from, F *tag, F *c, F *f, F *e) {
	MPI_Status s;
	RC(e) = MPI_Probe(*from, *tag, COMM_(c), &s);
	give_status(&s, f);
}
NAMED(probe)

void FORTRAN(iprobe)(F *from, F *tag, F *c, F *flag, F *f, F *e) {
	MPI_Status s;
	RC(e) = MPI_Iprobe(*from, *tag, COMM_(c), flag, &s);
	if (*flag) give_status(&s, f);
}
NAMED(iprobe)

void FORTRAN(start)(F *f, F *e) {
	MPI_Request q = PMPI_Request_f2c(*f);
	RC(e) = MPI_Start(&q);
	*f = PMPI_Request_c2f(q);
}
NAMED(start)

void FORTRAN(startall)(F *n, F *f, F *e) {
	MPI_Request *q = requests_of(*n, f);
	RC(e) = MPI_Startall(*n, q);
	give_requests(*n, q, f);
}
NAMED(startall)

void FORTRAN(request_free)(F *f, F *e) {
	MPI_Request q = PMPI_Request_f2c(*f);
	RC(e) = MPI_Request_free(&q);
	*f = PMPI_Request_c2f(q);
}
NAMED(request_free)

void FORTRAN(wait)(F *f, F *fs, F *e) {
	MPI_Request q = PMPI_Request_f2c(*f);
	MPI_Status s;
	RC(e) = MPI_Wait(&q, &s);
	*f = PMPI_Request_c2f(q);
	give_status(&s, fs);
}
NAMED(wait)

void FORTRAN(test)(F *f, F *flag, F *fs, F *e) {
	MPI_Request q = PMPI_Request_f2c(*f);
	MPI_Status s;
	RC(e) = MPI_Test(&q, flag, &s);
	*f = PMPI_Request_c2f(q);
	if (*flag) give_status(&s, fs);
}
NAMED(test)

void FORTRAN(waitall)(F *n, F *f, F *fs, F *e) {
	MPI_Request *q = requests_of(*n, f);
	MPI_Status *s = calloc((size_t)*n + 1, sizeof *s);
	RC(e) = MPI_Waitall(*n, q, s);
	give_requests(*n, q, f);
	give_statuses(*n, s, fs);
}
NAMED(waitall)

void FORTRAN(testall)(F *n, F *f, F *flag, F *fs, F *e) {
	MPI_Request *q = requests_of(*n, f);
	MPI_Status *s = calloc((size_t)*n + 1, sizeof *s);
	RC(e) = MPI_Testall(*n, q, flag, s);
	give_requests(*n, q, f);
	if (*flag) give_statuses(*n, s, fs); else free(s);
}
NAMED(testall)

void FORTRAN(waitany)(F *n, F *f, F *index, F *fs, F *e) {
	MPI_Request *q = requests_of(*n, f);
	MPI_Status s;
	RC(e) = MPI_Waitany(*n, q, index, &s);
	if (*index != MPI_UNDEFINED) ++*index;
	give_requests(*n, q, f);
	give_status(&s, fs);
}
NAMED(waitany)

void FORTRAN(testany)(F *n, F *f, F *index, F *flag, F *fs, F *e) {
	MPI_Request *q = requests_of(*n, f);
	MPI_Status s;
	RC(e) = MPI_Testany(*n, q, index, flag, &s);
	if (*index != MPI_UNDEFINED) ++*index;
	give_requests(*n, q, f);
	if (*flag) give_status(&s, fs);
}
NAMED(testany)

static void some(int call(int, MPI_Request *, int *, int *, MPI_Status *), F *n, F *f, F *count, F *indices, F *fs, F *e) {
	MPI_Request *q = requests_of(*n, f);
	MPI_Status *s = calloc((size_t)*n + 1, sizeof *s);
	RC(e) = call(*n, q, count, indices, s);
	int done = *count == MPI_UNDEFINED ? 0 : *count;
	for (int i = 0; i < done; i++) indices[i]++;
	give_requests(*n, q, f);
	give_statuses(done, s, fs);
}
void FORTRAN(waitsome)(F *n, F *f, F *count, F *indices, F *fs, F *e) { some(MPI_Waitsome, n, f, count, indices, fs, e); }
NAMED(waitsome)
void FORTRAN(testsome)(F *n, F *f, F *count, F *indices, F *fs, F *e) { some(MPI_Testsome, n, f, count, indices, fs, e); }
NAMED(testsome)

/* F_COLLECTIVE replaces a collective and its non-blocking form. */
#define F_COLLECTIVE(LOWER, NAME, PARAMETERS, ARGUMENTS) \
	void FORTRAN(LOWER)(LIST PARAMETERS, F *e) { RC(e) = MPI_##NAME(LIST ARGUMENTS); } \
	NAMED(LOWER)
#define F_STARTED(LOWER, NAME, PARAMETERS, ARGUMENTS) \
	void FORTRAN(LOWER)(LIST PARAMETERS, F *f, F *e) { \
		MPI_Request q; \
		RC(e) = MPI_##NAME(LIST ARGUMENTS, &q); \
		*f = PMPI_Request_c2f(q); \
	} \
	NAMED(LOWER)
#define F_BOTH(LOWER, NAME, INAME, PARAMETERS, ARGUMENTS) \
	F_COLLECTIVE(LOWER, NAME, PARAMETERS, ARGUMENTS) F_STARTED(i##LOWER, INAME, PARAMETERS, ARGUMENTS)
F_BOTH(barrier, Barrier, Ibarrier, (F *c), (COMM_(c)))
F_BOTH(bcast, Bcast, Ibcast, (void *b, F *n, F *t, F *root, F *c), (B(b), *n, TYPE_(t), *root, COMM_(c)))
F_BOTH(reduce, Reduce, Ireduce, (void *b, void *rb, F *n, F *t, F *o, F *root, F *c), (B(b), B(rb), *n, TYPE_(t), OP_(o), *root, COMM_(c)))
F_BOTH(allreduce, Allreduce, Iallreduce, (void *b, void *rb, F *n, F *t, F *o, F *c), (B(b), B(rb), *n, TYPE_(t), OP_(o), COMM_(c)))
F_BOTH(scan, Scan, Iscan, (void *b, void *rb, F *n, F *t, F *o, F *c), (B(b), B(rb), *n, TYPE_(t), OP_(o), COMM_(c)))
F_BOTH(exscan, Exscan, Iexscan, (void *b, void *rb, F *n, F *t, F *o, F *c), (B(b), B(rb), *n, TYPE_(t), OP_(o), COMM_(c)))
F_BOTH(reduce_scatter, Reduce_scatter, Ireduce_scatter, (void *b, void *rb, F *n, F *t, F *o, F *c),
	(B(b), B(rb), n, TYPE_(t), OP_(o), COMM_(c)))
F_BOTH(reduce_scatter_block, Reduce_scatter_block, Ireduce_scatter_block, (void *b, void *rb, F *n, F *t, F *o, F *c),
	(B(b), B(rb), *n, TYPE_(t), OP_(o), COMM_(c)))
F_BOTH(allgather, Allgather, Iallgather, (void *b, F *n, F *t, void *rb, F *rn, F *rt, F *c),
	(B(b), *n, TYPE_(t), B(rb), *rn, TYPE_(rt), COMM_(c)))
F_BOTH(allgatherv, Allgatherv, Iallgatherv, (void *b, F *n, F *t, void *rb, F *rn, F *at, F *rt, F *c),
	(B(b), *n, TYPE_(t), B(rb), rn, at, TYPE_(rt), COMM_(c)))
F_BOTH(alltoall, Alltoall, Ialltoall, (void *b, F *n, F *t, void *rb, F *rn, F *rt, F *c),
	(B(b), *n, TYPE_(t), B(rb), *rn, TYPE_(rt), COMM_(c)))
F_BOTH(alltoallv, Alltoallv, Ialltoallv, (void *b, F *n, F *at, F *t, void *rb, F *rn, F *rat, F *rt, F *c),
	(B(b), n, at, TYPE_(t), B(rb), rn, rat, TYPE_(rt), COMM_(c)))
F_BOTH(gather, Gather, Igather, (void *b, F *n, F *t, void *rb, F *rn, F *rt, F *root, F *c),
	(B(b), *n, TYPE_(t), B(rb), *rn, TYPE_(rt), *root, COMM_(c)))
F_BOTH(gatherv, Gatherv, Igatherv, (void *b, F *n, F *t, void *rb, F *rn, F *at, F *rt, F *root, F *c),
	(B(b), *n, TYPE_(t), B(rb), rn, at, TYPE_(rt), *root, COMM_(c)))
F_BOTH(scatter, Scatter, Iscatter, (void *b, F *n, F *t, void *rb, F *rn, F *rt, F *root, F *c),
	(B(b), *n, TYPE_(t), B(rb), *rn, TYPE_(rt), *root, COMM_(c)))
F_BOTH(scatterv, Scatterv, Iscatterv, (void *b, F *n, F *at, F *t, void *rb, F *rn, F *rt, F *root, F *c),
	(B(b), n, at, TYPE_(t), B(rb), *rn, TYPE_(rt), *root, COMM_(c)))

/* F_MAKING replaces what makes a communicator. */
#define F_MAKING(LOWER, NAME, PARAMETERS, ARGUMENTS) \
	void FORTRAN(LOWER)(LIST PARAMETERS, F *made_comm, F *e) { \
		MPI_Comm n; \
		RC(e) = MPI_##NAME(LIST ARGUMENTS, &n); \
		*made_comm = PMPI_Comm_c2f(n); \
	} \
	NAMED(LOWER)
F_MAKING(comm_dup, Comm_dup, (F *c), (COMM_(c)))
F_MAKING(comm_split, Comm_split, (F *c, F *color, F *key), (COMM_(c), *color, *key))
F_MAKING(comm_split_type, Comm_split_type, (F *c, F *type, F *key, F *i), (COMM_(c), *type, *key, PMPI_Info_f2c(*i)))
F_MAKING(comm_create, Comm_create, (F *c, F *g), (COMM_(c), PMPI_Group_f2c(*g)))
F_MAKING(cart_create, Cart_create, (F *c, F *d, F *dims, F *periods, F *reorder), (COMM_(c), *d, dims, periods, *reorder))
F_MAKING(cart_sub, Cart_sub, (F *c, F *remain), (COMM_(c), remain))

void FORTRAN(comm_free)(F *c, F *e) {
	MPI_Comm n = COMM_(c);
	RC(e) = MPI_Comm_free(&n);
	*c = PMPI_Comm_c2f(n);
}
NAMED(comm_free)

#ifdef OPEN_MPI
/* Only counted, as in C; by its names in mpif.h and in mpi_f08. */
#define F_COUNTED(LOWER) \
	extern int real_f_##LOWER(A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A, A) __asm__("pmpi_" #LOWER "_") __attribute__((weak)); \
	int mpi_##LOWER##_(A a, A b, A c, A d, A e, A f, A g, A h, A i, A j, A k, A l, A m, A n, A o, A p, A q, A r) { \
		int own = enter(); \
		if (own) miss("MPI_" #LOWER " (Fortran)"); \
		int rc = real_f_##LOWER(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r); \
		if (own) leave(), resume(); \
		return rc; \
	} \
	void ompi_##LOWER##_f() __attribute__((alias("mpi_" #LOWER "_")));
#define F_COUNTED4(A, B, C, D) F_COUNTED(A) F_COUNTED(B) F_COUNTED(C) F_COUNTED(D)
F_COUNTED4(put, get, rput, rget)
F_COUNTED4(accumulate, raccumulate, get_accumulate, rget_accumulate)
F_COUNTED4(fetch_and_op, compare_and_swap, win_fence, win_unlock)
F_COUNTED4(win_unlock_all, win_start, win_complete, win_post)
F_COUNTED4(neighbor_allgather, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv)
F_COUNTED4(neighbor_alltoallw, ineighbor_alltoall, ineighbor_alltoallv, ineighbor_allgather)
F_COUNTED4(alltoallw, ialltoallw, mrecv, imrecv)
F_COUNTED4(ssend_init, bsend_init, rsend_init, comm_idup)
#endif
