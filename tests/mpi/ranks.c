/* SPDX-License-Identifier: MIT */
/* One rank: sessions and OpenBLAS calls between messages that thread 0 alone sends (MPI_THREAD_FUNNELED). Checks that the
 * default width is the size of the rank's own CPU set, that thread 0 is the thread that called MPI_Init_thread, and that no
 * member runs or may run outside that set. The argument is the width that is expected, 0: the set's size. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "tenure.h"

static cpu_set_t mine;
static int faults, rank;
static pthread_t initial;

static void expect(int right, const char *what)
{
    if (right)
        return;
    __atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
    printf("FAULT rank %d: %s\n", rank, what);
}

static void member(void *arg, int thread, int width)
{
    cpu_set_t set, both;
    int is_main, cpu = sched_getcpu();
    double *part = arg;

    sched_getaffinity(0, sizeof set, &set);
    CPU_AND(&both, &set, &mine);
    expect(CPU_EQUAL(&both, &set) && CPU_ISSET(cpu, &mine), "a member outside the rank's set");
    if (thread == 0) {
        MPI_Is_thread_main(&is_main);
        expect(is_main && pthread_equal(pthread_self(), initial), "thread 0 is the caller");
    }
    part[thread] = rank * width + 1;
}

typedef void dgemm_fn(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);

static void one_session(unsigned width, unsigned expected, dgemm_fn *dgemm)
{
    enum { N = 96 };
    static double a[N * N], b[N * N], c[N * N];
    double part[256] = {0}, sum = 0, all = 0;
    int ranks;
    tenure_session s;
    tenure_session_options o = {.size = sizeof o, .width = width};
    tenure_session_figures f = {.size = sizeof f};

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    expect(tenure_session_open(&s, &o) == 0, "open");
    tenure_session_info(s, &f);
    expect(f.width == expected && omp_get_max_threads() == (int)expected, "the width");
    for (int round = 0; round < 20; round++) {
        expect(tenure_session_run(s, member, part) == 0, "run");
        sum = 0;
        for (unsigned i = 0; i < expected; i++)
            sum += part[i];
        MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double right = 0;
        for (int r = 0; r < ranks; r++)
            right += expected * (r * (double)expected + 1);
        expect(all == right, "the sum over all members of all ranks");
        if (dgemm) {
            for (int i = 0; i < N * N; i++)
                a[i] = all, b[i] = 1;
            dgemm(101, 111, 111, N, N, N, 1.0, a, N, b, N, 0.0, c, N);
            expect(c[N * N - 1] == N * all, "OpenBLAS");
        }
#pragma omp parallel
        expect(omp_get_thread_num() != 0 || pthread_equal(pthread_self(), initial), "thread 0 of a region");
    }
    expect(tenure_session_close(s) == 0, "close");
}

int main(int argc, char **argv)
{
    int provided, all_faults, size;
    const char *path = getenv("OPENBLAS");
    void *library = path && *path ? dlopen(path, RTLD_NOW) : NULL;
    dgemm_fn *dgemm = NULL;

    if (library)
        *(void **)&dgemm = dlsym(library, "cblas_dgemm");
    sched_getaffinity(0, sizeof mine, &mine);
    initial = pthread_self();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    expect(provided >= MPI_THREAD_FUNNELED, "MPI_THREAD_FUNNELED");
    expect(tenure_is_active(), "Tenure serves this program");
    size = CPU_COUNT(&mine);
    expect(argc < 2 || atoi(argv[1]) == 0 || atoi(argv[1]) == size, "the binding is the one that was asked for");
    expect(omp_get_max_threads() == size, "the default width is the size of the set");
    one_session(0, (unsigned)size, dgemm);
    one_session(3, 3, dgemm);
    MPI_Allreduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all_faults != 0;
}
