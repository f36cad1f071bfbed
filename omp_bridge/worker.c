/* SPDX-License-Identifier: MIT */
/* A worker's life: docked, serves a region, arrives, docked again. The worker reads its dock line only after its `word`
 * has changed (acquire), and arrives (release) before the line may be written again:
 *   a. releaser writes member, fn, data, icv, seq      b. releaser stores word, release
 *   c. worker loads the new word, acquire              d. worker reads the fields: sees a
 *   e. worker stores arrived = join, release (after fn) f. gatherer loads it, acquire; the next a comes after f. */
#define _GNU_SOURCE
#include "worker.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "barrier.h"
#include "clock.h"
#include "crew.h"
#include "gemm.h"
#include "msg.h"
#include "places.h"
#include "profile.h"
#include "region.h"
#include "session.h"
#include "topo.h"

static _Atomic unsigned spawned, alive;

/* Between two looks at masks, after sleeps without steering (of the others it is known with which mask only until the next): where each
 * region sleeps they were a quarter of its time. */
#define LOOK_AGAIN_NS 10000000

/* Waits for the next word. While the region of its last team may still have deferred tasks, it runs them. */
static uint64_t dock_await(struct tn_thread *me, uint64_t seen)
{
    struct tn_team *team = me->cur->team;
    uint64_t word;
    bool crowded = tn_load(&team->crowded);
    tn_leave_line(crowded);
    tn_wait_working(me, team, (word = tn_load_acq(&me->dock.word)) != seen, .crowded = crowded, .idle = true);
    if (tn_unlikely(tn_load(&me->idle_since))) {
        tn_park_learn_idle(me);
        if (tn_unlikely(me->look_owed) && tn_load(&me->runs_since) - me->looked_ns >= LOOK_AGAIN_NS)
            me->sleeps_seen--;
    }
    return word;
}

/* It has slept: has its mask or its owner's been set from outside meanwhile? Asked when the body is done, if the releaser has
 * not: what is found is for the next region, and asking takes two system calls. */
static TN_COLD void look_at_masks(struct tn_thread *me, uint32_t sleeps)
{
    uint64_t now = tn_now_ns();
    me->sleeps_seen = sleeps;
    me->look_owed = now - me->looked_ns < LOOK_AGAIN_NS && !me->park.steer.steered;
    if (me->look_owed)
        return; /* after a later wait: dock_await has the clock */
    me->looked_ns = now;
    tn_happens_ignore_begin();
    tn_affinity_woke(me);
    me->park.steer.steered = false;
    tn_happens_ignore_end();
}

#define STAY 1000 /* regions */
#define STAY_AMONG 200

static bool may_move(const struct tn_thread *me)
{
    return me->place < 0 && !tn_load(&me->mask_own);
}

/* Two members on one processor while another is free: the kernel's load balancer takes milliseconds to see it, we know at
 * once. Bound workers stay. */
static TN_COLD void leave_cpu_slow(struct tn_thread *me, int cpu)
{
    if (me->stay > 0)
        me->stay--;
    else if (tn_park_several_callers() && tn_park_strangers())
        return;
    else if (may_move(me) && !tn_steer_move(&me->park.steer, cpu, false))
        me->stay = STAY; /* no other processor in the mask */
    else if (tn_park_several_callers())
        me->stay = STAY_AMONG; /* others on all of them, and where they go is the load balancer's */
}

/* Who yields is left by the load balancer where it is: three of four on one processor, for as long as the team does not sleep, and a
 * region of width 4 takes half as long again. So now and then somebody looks. */
static TN_COLD void spread_slow(struct tn_thread *me, const struct tn_team *team)
{
    if (me->spread_in > 0) {
        me->spread_in--;
        return;
    }
    me->spread_in = STAY;
    if (!may_move(me) || tn_park_several_callers() || tn_park_strangers())
        return;
    int to = tn_team_emptier_cpu(team, me->cur, tn_cpu_now());
    if (to >= 0)
        tn_steer_move(&me->park.steer, to, true);
}

TN_INLINE void settle_cpu(struct tn_thread *me, const struct tn_team *team)
{
    int cpu = me->caller_cpu = me->dock.cpu;
    if (tn_unlikely(team->width > tn_global.procs))
        spread_slow(me, team);
    else if (tn_unlikely(cpu == tn_cpu_now()) && cpu >= 0)
        leave_cpu_slow(me, cpu);
}

/* What the flags in the dock word ask for, before the body. */
static TN_COLD void prepare_slow(struct tn_thread *me, struct tn_member *m, uint64_t word)
{
    if (word & TN_DOCK_AFFINITY)
        tn_affinity_apply(me, m);
    if (word & TN_DOCK_PROFILED)
        tn_profile_serve(me);
}

static void *worker_main(void *arg)
{
    struct tn_thread *me = arg;
    char name[16];
    struct tn_buf b = tn_buf_init(name, sizeof name);
    tn_buf_fmt(&b, "tenure-w%u", me->id);
    pthread_setname_np(pthread_self(), name);
    tn_self_ptr = me;
    tn_thread_init(me);
    tn_gemm_worker_start();
    for (uint64_t word = 0;;) {
        word = dock_await(me, word);
        if (tn_unlikely(word & TN_DOCK_EXIT))
            break;
        tn_happens_after(&me->dock);
        struct tn_member *m = me->dock.member;
        tn_region_start_member(me, m, me->dock.seq, me->dock.icv);
        if (m->child_lo < m->child_hi)
            tn_region_release_children(m, me->dock.fn, me->dock.data, me->dock.icv, me->dock.seq,
                                       (unsigned)word & (TN_DOCK_AFFINITY | TN_DOCK_PROFILED));
        if (tn_unlikely(word & (TN_DOCK_AFFINITY | TN_DOCK_PROFILED)))
            prepare_slow(me, m, word);
        settle_cpu(me, m->team);
        me->dock.fn(me->dock.data);
        if (tn_unlikely(tn_self_ptr != me))
            return NULL; /* this region forked, and we are the only thread of the child: the process ends with us */
        if (tn_unlikely(me->sleeps_seen != tn_load(&me->park.sleeps)))
            look_at_masks(me, tn_load(&me->park.sleeps));
        tn_join_arrive(me);
    }
    tn_session_thread_end(me);
    tn_crew_put_all(me);
    tn_thread_fini(me);
    return NULL;
}

int tn_worker_spawn(struct tn_thread **out)
{
    struct tn_thread *w = tn_thread_alloc(true);
    if (!w)
        return ENOMEM;
    w->is_worker = true;
    w->caller_cpu = -1;
    w->place = -1; /* its maker looks at it, perhaps before it has run */
    w->cur = &tn_member_none;
    w->task = &tn_member_none.implicit;
    w->crew = &tn_crew_none;
    tn_store(&w->root_crew, &tn_crew_none);
    w->group = &w->own_group;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (tn_global.stacksize)
        pthread_attr_setstacksize(&attr, tn_global.stacksize);
    w->id = atomic_fetch_add(&spawned, 1) + 1;
    atomic_fetch_add(&alive, 1);
    int err = pthread_create(&w->pthread, &attr, worker_main, w);
    pthread_attr_destroy(&attr);
    if (err) {
        atomic_fetch_sub(&spawned, 1);
        atomic_fetch_sub(&alive, 1);
        tn_thread_free(w);
        return err;
    }
    *out = w;
    return 0;
}

void tn_worker_dismiss(struct tn_thread *w)
{
    w->dock.member = NULL;
    tn_store_rel(&w->dock.word, ((tn_load(&w->dock.word) >> 8) + 1) << 8 | TN_DOCK_EXIT);
    tn_unpark(w);
}

void tn_worker_join(struct tn_thread *w)
{
    pthread_join(w->pthread, NULL);
    atomic_fetch_sub(&alive, 1);
    tn_thread_free(w);
}

unsigned tn_workers_spawned(void)
{
    return tn_load(&spawned);
}

unsigned tn_workers_alive(void)
{
    return tn_load(&alive);
}

void tn_worker_fork_child(void)
{
    tn_store(&alive, 0);
}

static void limit_value(struct tn_buf *b, const char *name, int which)
{
    struct rlimit r;
    if (getrlimit(which, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
        tn_buf_fmt(b, ", %s is %lu", name, (unsigned long)r.rlim_cur);
}

static void kernel_value(struct tn_buf *b, const char *name, const char *path)
{
    char text[32];
    if (tn_topo_read(path, text, sizeof text) > 0)
        tn_buf_fmt(b, ", %s is %lu", name, strtoul(text, NULL, 10));
}

void tn_worker_limit(char *out, size_t size, int err)
{
    struct tn_buf b = tn_buf_init(out, size);
    if (err == EINVAL)
        tn_buf_fmt(&b, "stack of %zu bytes refused (OMP_STACKSIZE)", tn_global.stacksize);
    else
        tn_buf_fmt(&b, "%s", err == ENOMEM ? "out of memory" : "no more threads or memory");
    limit_value(&b, "RLIMIT_NPROC", RLIMIT_NPROC);
    limit_value(&b, "RLIMIT_AS", RLIMIT_AS);
    if (tn_global.stacksize)
        tn_buf_fmt(&b, ", OMP_STACKSIZE is %zu", tn_global.stacksize);
    unsigned long pids = tn_topo_pids_max();
    if (pids)
        tn_buf_fmt(&b, ", pids.max of the cgroup is %lu", pids);
    kernel_value(&b, "kernel.pid_max", "/proc/sys/kernel/pid_max"); /* threads have such numbers too */
    kernel_value(&b, "kernel.threads-max", "/proc/sys/kernel/threads-max");
    kernel_value(&b, "vm.max_map_count", "/proc/sys/vm/max_map_count"); /* a stack takes two */
}
