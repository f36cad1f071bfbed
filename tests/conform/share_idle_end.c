/* SPDX-License-Identifier: MIT */
/* TENURE_SHARE_IDLE: a team is another thread's only when the region is over to the last block of memory. The worker has idled
 * long since when thread 0 leaves the region, which then frees the control variables that a task wrote; in the middle of that a
 * second thread wants a worker, and must not get this one. Under a sanitizer, which wants free() for itself, it comes
 * right afterwards and gets it, with nothing between the two threads that orders them but Tenure (the team's task reductions).
 * conform: tenure only. conform: width
 * conform: flags -fno-builtin
 * conform: env TENURE_SHARE_IDLE=1 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "conform.h"

#pragma weak tenure_spawned_workers
#include "tenure.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define INSIDE 0
#else
#define INSIDE 1
#endif

static _Atomic bool go, gone; /* relaxed on the way to the second thread: they order nothing */

static void nap(void)
{
    const struct timespec t = {.tv_nsec = 2000000};

    nanosleep(&t, NULL);
}

static void second_thread_goes(void)
{
    atomic_store_explicit(&go, true, memory_order_relaxed);
    while (!atomic_load(&gone))
        nap();
}

#if INSIDE
static __thread bool watched;        /* the next block is the one */
static _Atomic(void *) block;

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

void *malloc(size_t size)
{
    void *p = __libc_malloc(size);

    if (watched) {
        watched = false;
        atomic_store(&block, p);
    }
    return p;
}

void free(void *p)
{
    if (p && atomic_load(&block) == p) {
        atomic_store(&block, NULL);
        second_thread_goes();
    }
    __libc_free(p);
}
#endif

static void write_control_variable(void)
{
#if INSIDE
    watched = true;
#endif
    omp_set_schedule(omp_sched_dynamic, 3);
}

static bool sleeps(long tid)
{
    char path[64], state = 0;

    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", tid);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (f)
        fclose(f);
    return state == 'S';
}

/* Thread 0 stays until the other one has come back and idled for longer than TENURE_SHARE_IDLE. */
static int region(bool first)
{
    _Atomic long worker = 0;
    int n = 0;

#pragma omp parallel num_threads(2) reduction(task, + : n)
    {
#pragma omp task in_reduction(+ : n)
        n++;
#pragma omp taskwait
        if (omp_get_thread_num() == 1)
            worker = syscall(SYS_gettid);
        else if (first) {
#pragma omp task if (0)
            write_control_variable();
            while (!worker || !sleeps(worker))
                nap();
            nap();
        }
    }
    return n;
}

static void *second_thread(void *arg)
{
    while (!atomic_load_explicit(&go, memory_order_relaxed))
        nap();
    CHECK(region(false) == 2);
    atomic_store(&gone, true);
    return arg;
}

int main(void)
{
    pthread_t t;

    if (!getenv("TENURE_SHARE_IDLE") || syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
        return conform_end(); /* there is no sharing */
    pthread_create(&t, NULL, second_thread, NULL);
    CHECK(region(true) == 2);
    if (INSIDE)
        CHECK(gone);
    else
        second_thread_goes();
    pthread_join(t, NULL);
    if (INSIDE)
        CHECK(tenure_spawned_workers() == 2);
    return conform_end();
}
