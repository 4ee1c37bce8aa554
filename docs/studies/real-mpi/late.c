/* How long does a wait take that begins before, while or after the message comes? Usage: late LIMIT_S QUIET_S REPEATS SIZES COUNTS LATER_US,
 * launched as rules.sh launches rules.c, such as late 60 0.0005 15 8,1000,4000,16000,40000 1 -30,-10,0,6,12,18,25,35,50,100,200,1000.
 *
 * Process 1 sends COUNT messages at a moment on the clock of the machine, process 0 computes (looks at the clock) until LATER_US after it and
 * waits for all of them. The receives are posted before the moment (early) or immediately before the wait (late). One line for each repeat:
 * posted, bytes, count, later in us, repeat, the sends, the wait, and its end after the moment, all in us.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { most = 64 };
static int me, other;
static double quiet;
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

/* receives posts count receives. */
static void receives(MPI_Request *r, int bytes, int count)
{
    for (int i = 0; i < count; i++)
        MPI_Irecv(in + (size_t)i * bytes, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, r + i);
}

/* round measures one repeat, and returns whether both processes were there in time. */
static int measured(int early, int bytes, int count, double later, int repeat)
{
    MPI_Request r[most];
    double moment, mine[2] = {0, 0}, theirs[2];
    if (me == 0) {
        if (early)
            receives(r, bytes, count);
        moment = now() + 60e-6 + quiet;
        MPI_Send(&moment, 1, MPI_DOUBLE, other, 9, MPI_COMM_WORLD);
        double begin = moment + later;
        mine[1] = now() < begin;
        until(begin);
        double t = now();
        mine[1] = mine[1] && t < begin + 1e-6;
        if (!early)
            receives(r, bytes, count);
        MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
        double end = now();
        MPI_Recv(theirs, 2, MPI_DOUBLE, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(mine, 2, MPI_DOUBLE, other, 7, MPI_COMM_WORLD);
        if (mine[1] && theirs[1])
            printf("%s,%d,%d,%.0f,%d,%.2f,%.2f,%.2f\n", early ? "early" : "late", bytes, count, later * 1e6, repeat, theirs[0] * 1e6,
                   (end - t) * 1e6, (end - moment) * 1e6);
        return mine[1] && theirs[1];
    }
    MPI_Recv(&moment, 1, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine[1] = now() < moment;
    until(moment);
    double t = now();
    mine[1] = mine[1] && t < moment + 1e-6;
    for (int i = 0; i < count; i++)
        MPI_Isend(out + (size_t)i * bytes, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, r + i);
    mine[0] = now() - t;
    MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
    until(moment + later + quiet / 2); /* the answer must not come with the messages */
    MPI_Send(mine, 2, MPI_DOUBLE, other, 8, MPI_COMM_WORLD);
    MPI_Recv(theirs, 2, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return mine[1] && theirs[1];
}

/* buffer returns room for the messages, filled, in huge pages. */
static char *buffer(int with)
{
    size_t room = 1 << 24, huge = 2 << 20;
    char *b = aligned_alloc(huge, room);
    madvise(b, room, MADV_HUGEPAGE);
    return memset(b, with, room);
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return 2;
    alarm(atoi(argv[1]));
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    other = 1 - me;
    quiet = atof(argv[2]);
    static char rows[1 << 22];
    setvbuf(stdout, rows, _IOFBF, sizeof rows);
    out = buffer(1);
    in = buffer(2);
    for (int i = 0; i < 330; i++) { /* socket buffers grow, and the library touches each of its buffers for the first time */
        int n = i < 300 ? 4000 : i < 320 ? 60000 : 4 << 20;
        MPI_Sendrecv(out, n, MPI_BYTE, other, 1, in, n, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    char *sizes = strdup(argv[4]), *a, *b, *c;
    for (char *s = strtok_r(sizes, ",", &a); s; s = strtok_r(NULL, ",", &a)) {
        char *counts = strdup(argv[5]);
        for (char *n = strtok_r(counts, ",", &b); n; n = strtok_r(NULL, ",", &b)) {
            char *laters = strdup(argv[6]);
            for (char *l = strtok_r(laters, ",", &c); l; l = strtok_r(NULL, ",", &c))
                for (int early = 0; early < 2; early++)
                    for (int done = 0, tries = 0; done < atoi(argv[3]) && tries < 20 * atoi(argv[3]); tries++)
                        done += measured(early, atoi(s), atoi(n), atof(l) * 1e-6, done);
            free(laters);
        }
        free(counts);
    }
    fflush(stdout);
    alarm(2); /* MPICH over UCX may hang in MPI_Finalize */
    MPI_Finalize();
    return 0;
}
