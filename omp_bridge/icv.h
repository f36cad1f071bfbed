/* SPDX-License-Identifier: MIT */
/* Internal control variables (OpenMP 5.1, section 2.4). `tn_icv` is the part that each data environment (task) has:
 * a block that is never changed while another task can see it; regions and tasks pass a pointer. `tn_global` is
 * the part with global scope, read-only once the environment has been read, except the fields marked otherwise.
 * Everything has a built-in default, so omp_bridge/ runs without shim/. */
#ifndef TN_ICV_H
#define TN_ICV_H

#include <sched.h>

#include "base.h"

struct tn_thread;

/* Values of omp_sched_t and omp_proc_bind_t as omp.h fixes them. */
enum { TN_SCHED_STATIC = 1, TN_SCHED_DYNAMIC = 2, TN_SCHED_GUIDED = 3, TN_SCHED_AUTO = 4 };
#define TN_SCHED_MONOTONIC 0x80000000u
enum { TN_BIND_FALSE = 0, TN_BIND_TRUE = 1, TN_BIND_PRIMARY = 2, TN_BIND_CLOSE = 3, TN_BIND_SPREAD = 4 };

#define TN_LEVELS_MAX 255 /* max-active-levels-var: GCC's omp.h promises INT_MAX is cut to what is supported */
#define TN_NO_LIMIT 0x7fffffffu /* thread-limit-var when nothing was said: what omp_get_thread_limit() then answers */

struct tn_icv {
    uint64_t id;           /* names the contents: two blocks with one id are equal; never 0 for a live block */
    unsigned nthreads;     /* nthreads-var, first element of the list that is left; >= 1 */
    unsigned thread_limit; /* thread-limit-var; TN_NO_LIMIT: none */
    unsigned run_sched;    /* run-sched-var: kind, perhaps | TN_SCHED_MONOTONIC */
    int run_chunk;         /* its chunk, 0: default */
    int default_device;    /* default-device-var */
    unsigned max_active_levels;
    uintptr_t allocator;   /* def-allocator-var, 0: tn_global.allocator */
    bool dyn;              /* dyn-var */
    uint8_t bind;          /* bind-var, first element of the list that is left */
};

enum tn_wait_policy { TN_WAIT_DEFAULT, TN_WAIT_PASSIVE, TN_WAIT_ACTIVE };
enum tn_on_failure { TN_FAIL_STOP, TN_FAIL_SHRINK };

struct tn_global {
    struct tn_icv icv;            /* what an initial task starts with */
    unsigned nthreads_list[TN_LEVELS_MAX + 1]; /* OMP_NUM_THREADS by nesting level */
    unsigned nthreads_list_len;                /* 0 or 1: no list */
    bool nthreads_set;            /* OMP_NUM_THREADS was given */
    uint8_t bind_list[TN_LEVELS_MAX + 1];      /* OMP_PROC_BIND by nesting level */
    unsigned bind_list_len;
    bool bind_set;                /* OMP_PROC_BIND was given (libgomp: places alone imply true) */
    bool cancel;                  /* cancel-var */
    int max_task_priority;
    int num_teams;                /* nteams-var; written by omp_set_num_teams, 0: not set */
    int teams_thread_limit;       /* teams-thread-limit-var; written by omp_set_teams_thread_limit, 0: not set */
    size_t stacksize;             /* stacksize-var in bytes, 0: the C library's default */
    enum tn_wait_policy wait_policy;
    bool spin_set;                /* GOMP_SPINCOUNT or TENURE_SPIN was given */
    uint64_t spin_ns;             /* then: how long an idle thread spins, ns; UINT64_MAX: for ever */
    uint64_t resident_ns;         /* TENURE_RESIDENT: lease between regions, ns; 0: none */
    uint64_t share_idle_ns;       /* TENURE_SHARE_IDLE, ns; 0: crews stay with their calling thread */
    enum tn_on_failure on_failure; /* TENURE_ON_THREAD_FAILURE */
    bool display_affinity;
    char *affinity_format;        /* written by omp_set_affinity_format; guarded by its own lock */
    int target_offload;           /* omp_target_offload_t order of libgomp: default 0, mandatory 1, disabled 2 */
    uintptr_t allocator;          /* def-allocator-var at start (omp_allocator_handle_t) */
    bool preloaded;               /* by LD_PRELOAD, as start-up saw it */
    bool verbose;                 /* TENURE_VERBOSE */
    bool profile;                 /* TENURE_PROFILE */
    unsigned procs;               /* processors in the CPU set the process was given, >= 1; set by topo */
};

extern struct tn_global tn_global;

/* The first use of OpenMP fills tn_global: `tn_global_fill` (set by shim/ before anything else runs; NULL: the default
 * width is what the CPU set allows) is called once, by whoever comes first. A thread with a record has been here. */
extern void (*tn_global_fill)(void);
extern _Atomic bool tn_global_filled;
void tn_global_need_slow(void);
TN_INLINE void tn_global_need(void)
{
    if (tn_unlikely(!tn_load_acq(&tn_global_filled)))
        tn_global_need_slow();
}

/* A fresh id for a block whose contents changed. Any thread. */
uint64_t tn_icv_new_id(void);

/* A block that the current task of `me` may write: its own if no other task can see it, else a copy that becomes
 * the task's. Give the id back changed (this does it). Only the thread that runs the task. */
struct tn_icv *tn_icv_write(struct tn_thread *me);

#endif
