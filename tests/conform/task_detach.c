/* SPDX-License-Identifier: MIT */
/* detach: the task ends when its event is fulfilled, by another task, by a thread that is no OpenMP thread, or before
 * its body has ended; dependences and taskgroups wait for it. */
#include <pthread.h>
#include <sched.h>

#include "conform.h"

static omp_event_handle_t from_outside;
static int ready;

static void *fulfil(void *unused)
{
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        sched_yield();
    omp_fulfill_event(from_outside);
    return unused;
}

int main(void)
{
    int x = 0, done = 0;
    pthread_t outsider;
    omp_event_handle_t event;

    pthread_create(&outsider, NULL, fulfil, NULL);
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        omp_event_handle_t first;

#pragma omp task detach(first) depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(in : x) shared(x, done)
        {
            CHECK(x == 1 && done == 1);
            done = 2;
        }
#pragma omp task firstprivate(first) shared(done)
        {
            done = 1;
            omp_fulfill_event(first);
        }
#pragma omp taskwait
        CHECK(done == 2);
#pragma omp taskgroup
        {
#pragma omp task detach(event) shared(done)
            {
                done = 3;
                from_outside = event;
                __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
            }
        }
        CHECK(done == 3);
#pragma omp task detach(event) shared(done)
        {
            omp_fulfill_event(event);
            done = 4;
        }
#pragma omp taskwait
        CHECK(done == 4);
    }
    pthread_join(outsider, NULL);
    return conform_end();
}
