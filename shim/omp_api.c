/* SPDX-License-Identifier: MIT */
/* The query and setting routines of OpenMP: levels, widths, control variables, teams, time. Any thread may call them, with
 * or without a record: a query never attaches (tn_thread_none answers as the initial task would), a setting does.
 * Arguments that make no sense are treated as libgomp does: replaced or ignored, never reported. */
#include "omp_abi.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "crew.h"
#include "icv.h"
#include "team.h"
#include "thread.h"

/* --- Where am I: the hot ones first ------------------------------------------------------------------------------- */

int omp_get_thread_num(void) { return (int)tn_self()->cur->num; }
int omp_get_num_threads(void) { return (int)tn_self()->cur->team->width; }
int omp_get_max_threads(void) { return (int)tn_icv_read()->nthreads; }
int omp_in_parallel(void) { return tn_self()->cur->team->active_level > 0; }
int omp_get_level(void) { return (int)tn_self()->cur->team->level; }
int omp_get_active_level(void) { return (int)tn_self()->cur->team->active_level; }
int omp_in_final(void) { return tn_self()->task->final; }
int omp_in_explicit_task(void) { return tn_self()->task->explicit_; }

/* The member that stands for the calling thread at nesting `level`, or NULL. */
static const struct tn_member *member_at(int level)
{
    const struct tn_member *m = tn_self()->cur;
    if (level < 0 || (unsigned)level > m->team->level)
        return NULL;
    while (m->team->level > (unsigned)level)
        m = m->team->outer;
    return m;
}

int omp_get_ancestor_thread_num(int level)
{
    const struct tn_member *m = member_at(level);
    return m ? (int)m->num : -1;
}

int omp_get_team_size(int level)
{
    const struct tn_member *m = member_at(level);
    return m ? (int)m->team->width : -1;
}

/* Of the initial thread whose team of the league this is, as far out as we stand in regions. */
int omp_get_team_num(void) { return (int)member_at(0)->thread->team_num; }
int omp_get_num_teams(void) { return (int)member_at(0)->thread->num_teams; }

/* --- Control variables of the task -------------------------------------------------------------------------------- */

static struct tn_icv *icv_mine(void) { return tn_icv_write(tn_self_attach()); }

void omp_set_num_threads(int n) { icv_mine()->nthreads = n > 0 ? (unsigned)n : 1; }
void omp_set_dynamic(int on) { icv_mine()->dyn = on != 0; }
int omp_get_dynamic(void) { return tn_icv_read()->dyn; }
int omp_get_max_active_levels(void) { return (int)tn_icv_read()->max_active_levels; }
int omp_get_supported_active_levels(void) { return TN_LEVELS_MAX; }

void omp_set_max_active_levels(int n)
{
    if (n >= 0)
        icv_mine()->max_active_levels = n < TN_LEVELS_MAX ? (unsigned)n : TN_LEVELS_MAX;
}

/* nest-var is no more: it is whether more than one level may be active. */
void omp_set_nested(int on)
{
    struct tn_icv *i = icv_mine();
    if (on)
        i->max_active_levels = TN_LEVELS_MAX;
    else if (i->max_active_levels > 1)
        i->max_active_levels = 1;
}

int omp_get_nested(void)
{
    unsigned levels = tn_icv_read()->max_active_levels;
    return levels > 1 && levels > tn_self()->cur->team->active_level;
}

void omp_set_schedule(unsigned kind, int chunk)
{
    unsigned plain = kind & ~TN_SCHED_MONOTONIC;
    if (plain < TN_SCHED_STATIC || plain > TN_SCHED_AUTO)
        return;
    struct tn_icv *i = icv_mine();
    i->run_sched = kind;
    if (plain != TN_SCHED_AUTO) /* auto has no chunk: the old one stays */
        i->run_chunk = chunk >= 1 ? chunk : plain == TN_SCHED_STATIC ? 0 : 1;
}

void omp_get_schedule(unsigned *kind, int *chunk)
{
    *kind = tn_icv_read()->run_sched;
    *chunk = tn_icv_read()->run_chunk;
}

int omp_get_thread_limit(void)
{
    unsigned limit = tn_icv_read()->thread_limit;
    return limit < INT_MAX ? (int)limit : INT_MAX;
}

/* --- Control variables of the device ------------------------------------------------------------------------------ */

/* Read and written only once the environment has been read. */
static struct tn_global *global(void)
{
    tn_global_need();
    return &tn_global;
}

int omp_get_cancellation(void) { return global()->cancel; }
int omp_get_max_task_priority(void) { return global()->max_task_priority; }

/* 0: none is set. What is negative is not conforming, and changes nothing. */
void omp_set_num_teams(int n)
{
    if (n >= 0)
        global()->num_teams = n;
}

void omp_set_teams_thread_limit(int n)
{
    if (n >= 0)
        global()->teams_thread_limit = n;
}

int omp_get_max_teams(void) { return global()->num_teams; }
int omp_get_teams_thread_limit(void) { return global()->teams_thread_limit; }

/* Without places, what the calling thread may run on now (a program that pins itself sees fewer), as libgomp. */
int omp_get_num_procs(void)
{
    if (global()->icv.bind != TN_BIND_FALSE)
        return (int)tn_global.procs;
    cpu_set_t fixed;
    if (sched_getaffinity(0, sizeof fixed, &fixed) == 0)
        return CPU_COUNT(&fixed);
    for (int cpus = 2 * CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) { /* EINVAL: the kernel's set is larger */
        cpu_set_t *set = CPU_ALLOC(cpus);
        if (!set)
            break;
        int n = sched_getaffinity(0, CPU_ALLOC_SIZE(cpus), set) == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE(cpus), set) : 0;
        CPU_FREE(set);
        if (n)
            return n;
    }
    return (int)tn_global.procs;
}

/* --- Time --------------------------------------------------------------------------------------------------------- */

double omp_get_wtime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double omp_get_wtick(void)
{
    struct timespec t;
    clock_getres(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- Giving resources back ---------------------------------------------------------------------------------------- */

/* Only outside regions. Soft and hard are the same: what the next region needs is made again. */
static int pause_host(void)
{
    struct tn_thread *me = tn_self();
    if (me->cur->team->level > 0)
        return -1;
    if (me != &tn_thread_none)
        tn_crew_pause(me);
    return 0;
}

int omp_pause_resource(int kind, int device)
{
    (void)kind;
    return device == omp_get_initial_device() ? pause_host() : -1;
}

int omp_pause_resource_all(int kind)
{
    (void)kind;
    return pause_host();
}
