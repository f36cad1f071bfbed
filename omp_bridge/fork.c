/* SPDX-License-Identifier: MIT */
/* The child side of fork(), whoever forked: a calling thread, a worker, a thread that knows no OpenMP. Nothing is locked
 * before the fork: the child throws away every shared structure, so it does not matter in which state it caught them.
 * One place resets them all: a new lock or list that is process-wide gets its line here. */
#define _GNU_SOURCE
#include "fork.h"

#include <pthread.h>

#include "crew.h"
#include "lock.h"
#include "park.h"
#include "places.h"
#include "session.h"
#include "thread.h"

static _Atomic int registered; /* 0 no, 1 by somebody (perhaps not finished: then no fork of ours can matter yet) */
static unsigned depth;

static void child(void)
{
    depth++;
    tn_park_fork_child();
    tn_crew_fork_child();
    tn_lock_fork_child();
    tn_affinity_fork_child();
    tn_session_fork_child(); /* gives the forking task its own control variables back, for the next line */
    tn_thread_fork_child();
}

void tn_fork_register(void)
{
    if (tn_load(&registered) == 0 && atomic_exchange(&registered, 1) == 0)
        pthread_atfork(NULL, NULL, child);
}

unsigned tn_fork_depth(void)
{
    return depth;
}
