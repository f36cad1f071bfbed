/* SPDX-License-Identifier: MIT */
/* The control variables with global scope, and their built-in defaults: what holds if nobody reads an environment. Written
 * before the first region only (but for the fields icv.h names). */
#include "icv.h"

#include <pthread.h>

#include "thread.h"
#include "topo.h"

/* Ids below this one are for blocks that are never changed. */
#define FIRST_ID 2

struct tn_global tn_global = {
    .icv = {.id = 1,
            .nthreads = 1,
            .thread_limit = TN_NO_LIMIT,
            .run_sched = TN_SCHED_DYNAMIC,
            .run_chunk = 1,
            .max_active_levels = 1,
            .bind = TN_BIND_FALSE},
    .allocator = 1, /* omp_default_mem_alloc */
    .procs = 1,
};

uint64_t tn_icv_new_id(void)
{
    static _Atomic uint64_t next = FIRST_ID;
    return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
}

void (*tn_global_fill)(void);
_Atomic bool tn_global_filled;

static void fill(void)
{
    if (tn_global_fill) {
        tn_global_fill();
    } else {
        tn_topo_start();
        tn_global.icv.nthreads = tn_global.procs;
    }
    tn_thread_watch_initial();
    tn_store_rel(&tn_global_filled, true);
}

void tn_global_need_slow(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
}
