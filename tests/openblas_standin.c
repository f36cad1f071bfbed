/* SPDX-License-Identifier: MIT */
/* What a pthreads OpenBLAS with a threading callback looks like to the bridge, and no more: it hands its jobs to the
 * callback if it has one. A level-3 call of it waits in each job for all others, as OpenBLAS's do. One caller at a time
 * must be in it, which it checks. Loaded by test_blas.c. */
#include <sched.h>
#include <stddef.h>

typedef void dojob_fn(int number, void *job, int arg);
typedef void callback_fn(int sync, dojob_fn *dojob, int count, size_t size, void *jobs, int arg);

callback_fn *standin_callback;
int standin_parallel = 1;
int standin_overlaps;

struct job {
    char unlike_any_other[40];
    int count, ran, arg;
};

static _Atomic int arrived, inside;

static void one(int number, void *data, int arg)
{
    struct job *j = data;
    j->ran += number + 1;
    j->arg = arg;
    arrived++;
    while (arrived < j->count)
        sched_yield();
}

void openblas_set_threads_callback_function(callback_fn *callback)
{
    standin_callback = callback;
}

int openblas_get_parallel(void)
{
    return standin_parallel;
}

/* -1: no callback; 0: wrong; 1: each job ran once, all at the same time. */
int standin_level3(int count)
{
    struct job jobs[64] = {0};
    int right = 1;
    callback_fn *callback = standin_callback;
    if (!callback)
        return -1;
    for (int i = 0; i < count; i++)
        jobs[i].count = count;
    if (count > 0)
        callback(1, one, count, sizeof *jobs, jobs, 7);
    for (int i = 0; i < count; i++)
        right &= jobs[i].ran == i + 1 && jobs[i].arg == 7;
    arrived = 0;
    return right;
}

static void alone(int number, void *data, int arg)
{
    (void)number, (void)data, (void)arg;
    if (inside++ != 0)
        standin_overlaps++;
    sched_yield(); /* whoever could come in now does */
    inside--;
}

/* A call of one job; two of them must not overlap. */
void standin_level1(void)
{
    if (standin_callback)
        standin_callback(1, alone, 1, 1, &(char){0}, 0);
}
