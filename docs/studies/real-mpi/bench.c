/* Times of two MPI processes, for the study real-mpi. Usage: bench EXPERIMENT LIMIT_S QUIET_S RATE_Bps REPEATS SIZES [COMPUTE_US].
 *
 * Both processes agree on a moment on the clock of the machine and begin there, so no
 * barrier is in the times. Before it they are quiet for QUIET_S, in which a token bucket
 * fills again. A computation looks at the clock until its time is over. A round in which
 * a process was not there at the moment is done again. After LIMIT_S the processes end,
 * whatever they do: a library that hangs must not keep two cores busy. Nothing is printed
 * before the last round, since the launcher that forwards the output needs a core. Messages
 * are in huge pages: which small pages of the memory a process gets changes the time of a
 * copy by up to 60 % from one process to the next.
 *
 *   isend, late, pingpong      lines of single calls: call, bytes, start, duration in s
 *   sender, receiver, both     lines: experiment, bytes, computation in us, repeat, time in us
 *
 * The time of the last three is that of 'overlapsim overlap': for sender and receiver less the
 * latency, half of a round trip of 0 bytes; for both, half of the time of both turns.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static int me, other;
static double quiet, rate, latency;
static char *out, *in;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void until(double moment)
{
    while (now() < moment)
        ;
}

/* begin returns the moment at which both processes begin, and says whether this one is there in time. */
static double begin(int *in_time)
{
    double moment;
    if (me == 0) {
        moment = now() + 50e-6 + quiet;
        MPI_Send(&moment, 1, MPI_DOUBLE, other, 9, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&moment, 1, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    *in_time = now() < moment;
    until(moment);
    *in_time = *in_time && now() < moment + 2e-6;
    return moment;
}

/* both_in_time tells process 0 whether the other one was there, too. */
static int both_in_time(int in_time)
{
    int theirs = 0;
    if (me == 0)
        MPI_Recv(&theirs, 1, MPI_INT, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&in_time, 1, MPI_INT, other, 8, MPI_COMM_WORLD);
    int both = in_time && theirs;
    if (me == 0)
        MPI_Send(&both, 1, MPI_INT, other, 7, MPI_COMM_WORLD);
    else
        MPI_Recv(&both, 1, MPI_INT, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return both;
}

static void send(int bytes, int tag) { MPI_Send(out, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD); }
static void receive(int bytes, int tag) { MPI_Recv(in, bytes, MPI_BYTE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static MPI_Request isend(int bytes)
{
    MPI_Request r;
    MPI_Isend(out, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &r);
    return r;
}

static MPI_Request irecv(int bytes)
{
    MPI_Request r;
    MPI_Irecv(in, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &r);
    return r;
}

/* overlapped computes beside a request. */
static void overlapped(MPI_Request r, double compute)
{
    until(now() + compute);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Rounds: each returns the time of process 0 from the beginning; a call's own time where one call is measured. */

static double round_isend(double start, int bytes, double compute)
{
    double took = 0;
    (void)compute;
    if (me == 0) {
        double t = now();
        MPI_Request r = isend(bytes);
        took = now() - t;
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        receive(bytes, 0);
    }
    (void)start;
    return took;
}

static double round_late(double start, int bytes, double compute)
{
    (void)compute;
    if (me == 1) {
        send(bytes, 0);
        return 0;
    }
    until(start + 200e-6 + 2 * bytes / rate);
    double t = now();
    receive(bytes, 0);
    return now() - t;
}

static double sending; /* in round_pingpong, the time of its MPI_Send */

static double round_pingpong(double start, int bytes, double compute)
{
    (void)compute;
    if (me == 0) {
        send(bytes, 0);
        sending = now() - start;
        receive(bytes, 0);
    } else {
        receive(bytes, 0);
        send(bytes, 0);
    }
    return now() - start;
}

static double round_sender(double start, int bytes, double compute)
{
    if (me == 0) {
        overlapped(isend(bytes), compute);
        receive(0, 1);
    } else {
        receive(bytes, 0);
        send(0, 1);
    }
    return now() - start;
}

static double round_receiver(double start, int bytes, double compute)
{
    if (me == 0) {
        send(0, 1);
        overlapped(irecv(bytes), compute);
    } else {
        receive(0, 1);
        send(bytes, 0);
    }
    return now() - start;
}

static double round_both(double start, int bytes, double compute)
{
    for (int turn = 0; turn < 2; turn++)
        overlapped(me == turn ? isend(bytes) : irecv(bytes), compute);
    return now() - start;
}

static const struct experiment {
    const char *name, *call;
    double (*round)(double start, int bytes, double compute);
} experiments[] = {
    {"isend", "MPI_Isend", round_isend}, {"late", "MPI_Recv", round_late}, {"pingpong", NULL, round_pingpong},
    {"sender", NULL, round_sender},      {"receiver", NULL, round_receiver}, {"both", NULL, round_both},
};

static void print(const struct experiment *e, int bytes, double compute, int repeat, double start, double took)
{
    if (e->call)
        printf("%s,%d,%.9f,%.9f\n", e->call, bytes, start, took);
    else if (e->round == round_pingpong)
        printf("MPI_Send,%d,%.9f,%.9f\nMPI_Recv,%d,%.9f,%.9f\n", bytes, start, sending, bytes, start, took - sending);
    else
        printf("%s,%d,%.0f,%d,%.3f\n", e->name, bytes, compute * 1e6, repeat,
               1e6 * (e->round == round_both ? took / 2 : took - latency));
}

/* measure repeats an experiment; it gives up on rounds to which a process came late after a while. */
static void measure(const struct experiment *e, int bytes, double compute, int repeats)
{
    for (int done = 0, tries = 0; done < repeats && tries < 20 * repeats; tries++) {
        int in_time;
        double start = begin(&in_time), took = e->round(start, bytes, compute);
        if (both_in_time(in_time)) {
            if (me == 0)
                print(e, bytes, compute, done, start, took);
            done++;
        }
    }
}

/* buffer returns room for the largest message, filled, in huge pages. */
static char *buffer(int with)
{
    size_t most = 1 << 24, huge = 2 << 20;
    char *b = aligned_alloc(huge, most);
    madvise(b, most, MADV_HUGEPAGE);
    return memset(b, with, most);
}

int main(int argc, char **argv)
{
    const struct experiment *e = NULL;
    if (argc > 2)
        alarm(atoi(argv[2]));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    other = 1 - me;
    for (size_t i = 0; argc >= 7 && i < sizeof experiments / sizeof *experiments; i++)
        if (!strcmp(argv[1], experiments[i].name))
            e = &experiments[i];
    if (!e) {
        if (me == 0)
            fprintf(stderr, "usage: %s isend|late|pingpong|sender|receiver|both LIMIT_S QUIET_S RATE_Bps REPEATS SIZES [COMPUTE_US]\n", argv[0]);
        MPI_Finalize();
        return 2;
    }
    quiet = atof(argv[3]);
    rate = atof(argv[4]);
    static char rows[1 << 20];
    setvbuf(stdout, rows, _IOFBF, sizeof rows);
    out = buffer(1);
    in = buffer(2);
    for (int i = 0; i < 330; i++) /* socket buffers grow, and the library touches each of its buffers for the first time */
        round_pingpong(now(), i < 300 ? 4000 : i < 320 ? 60000 : 4 << 20, 0);
    latency = 1;
    for (int i = 0; i < 200; i++) {
        double took = round_pingpong(now(), 0, 0) / 2;
        latency = took < latency ? took : latency;
    }
    char *sizes = strdup(argv[6]), *computes = strdup(argc > 7 ? argv[7] : "0"), *a, *b;
    for (char *s = strtok_r(sizes, ",", &a); s; s = strtok_r(NULL, ",", &a)) {
        char *all = strdup(computes);
        for (char *c = strtok_r(all, ",", &b); c; c = strtok_r(NULL, ",", &b))
            measure(e, atoi(s), atof(c) * 1e-6, atoi(argv[5]));
        free(all);
    }
    fflush(stdout);
    alarm(2); /* MPICH over UCX may hang in MPI_Finalize */
    MPI_Finalize();
    return 0;
}
