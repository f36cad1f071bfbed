/* SPDX-License-Identifier: MIT */
/* The child side of fork(), whoever forked: a calling thread, a worker, a thread that knows no OpenMP. Nothing is locked
 * before the fork: the child throws away every shared structure, so it does not matter in which state it caught them.
 * One place resets them all: a new lock or list that is process-wide gets its line here. */
#define _GNU_SOURCE
#include "fork.h"

#include <pthread.h>

#include "crew.h"
#include "fence.h"
#include "lock.h"
#include "places.h"
#include "session.h"
#include "thread.h"

static unsigned depth;

static void child(void)
{
    depth++;
    tn_fence_fork_child();
    tn_crew_fork_child();
    tn_lock_fork_child();
    tn_affinity_fork_child();
    tn_session_fork_child(); /* gives the forking task its own control variables back, for the next line */
    tn_thread_fork_child();
}

static void enlist(void)
{
    pthread_atfork(NULL, NULL, child);
}

/* By pthread_once, which a child forked in the middle of it begins anew. */
void tn_fork_register(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, enlist);
}

unsigned tn_fork_depth(void)
{
    return depth;
}
