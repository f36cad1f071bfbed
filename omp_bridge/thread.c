/* SPDX-License-Identifier: MIT */
/* Records of threads: the sentinel for threads that have none, attaching a thread of the program and noticing its end,
 * the registry of all records, and the blocks in which a task writes its control variables. */
#define _GNU_SOURCE
#include "thread.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crew.h"
#include "fork.h"
#include "lock.h"
#include "msg.h"
#include "places.h"
#include "profile.h"
#include "session.h"
#include "team.h"

struct tn_member tn_member_none = {
    .team = &tn_team_none, .thread = &tn_thread_none, .place = -1, .implicit = {.icv = &tn_global.icv}};
struct tn_team tn_team_none = {
    .width = 1, .span = 1, .member = &tn_member_none, .icv = &tn_global.icv};
struct tn_thread tn_thread_none = {.cur = &tn_member_none, .task = &tn_member_none.implicit, .crew = &tn_crew_none,
                                   .root_crew = &tn_crew_none, .group = &tn_thread_none.own_group, .num_teams = 1,
                                   .place = -1};
__thread struct tn_thread *tn_self_ptr = &tn_thread_none;

/* A thread of the program: its record, and the implicit region around it, a team of one (OpenMP 5.1, 1.3). */
struct root {
    struct tn_thread thread;
    struct tn_team team;
    struct tn_member member;
};

static struct {
    struct tn_lock lock;
    struct tn_thread *head;
} all;

/* Records to use again, workers' and others' apart. */
static struct {
    struct tn_lock lock;
    struct tn_thread *free[2];
} memory;

struct tn_thread *tn_thread_alloc(bool worker)
{
    tn_lock_acquire(&memory.lock);
    struct tn_thread *t = memory.free[worker];
    if (t)
        memory.free[worker] = t->next_all;
    tn_lock_release(&memory.lock);
    size_t size = worker ? sizeof *t : sizeof(struct root);
    if (!t)
        t = aligned_alloc(TN_LINE, size);
    if (t)
        memset(t, 0, size);
    else if (!worker)
        tn_fatal("out of memory for the record of a thread (%zu bytes)", size);
    return t;
}

void tn_thread_free(struct tn_thread *t)
{
    tn_lock_acquire(&memory.lock);
    t->next_all = memory.free[t->is_worker];
    memory.free[t->is_worker] = t;
    tn_lock_release(&memory.lock);
}

static pthread_key_t end_key;

struct tn_thread *tn_thread_all_lock(void)
{
    tn_lock_acquire(&all.lock);
    return all.head;
}

void tn_thread_all_unlock(void)
{
    tn_lock_release(&all.lock);
}

void tn_thread_init(struct tn_thread *t)
{
    t->pthread = pthread_self();
    t->tid = (pid_t)syscall(SYS_gettid);
    t->crew = &tn_crew_none;
    tn_store(&t->root_crew, &tn_crew_none);
    t->num_teams = 1;
    t->place = -1;
    t->seed = (uint32_t)t->tid * 2654435761u | 1;
    tn_thread_all_lock();
    t->next_all = all.head;
    t->prev_all = &all.head;
    if (all.head)
        all.head->prev_all = &t->next_all;
    all.head = t;
    tn_thread_all_unlock();
}

void tn_thread_fini(struct tn_thread *t)
{
    tn_thread_all_lock();
    *t->prev_all = t->next_all;
    if (t->next_all)
        t->next_all->prev_all = t->prev_all;
    tn_profile_thread_end(t);
    tn_thread_all_unlock();
    free(t->before);
    free(t->i8_memory);
}

/* Where it ends inside a region (pthread_exit or cancellation in the middle of one),
 * the other members may still need the team: then everything of its stays as it is. */
static void record_end(struct root *r)
{
    struct tn_thread *me = &r->thread;
    if (tn_self_ptr != me)
        return;
    tn_session_thread_end(me);
    bool inside = me->cur != &r->member;
    if (!inside)
        tn_crew_put_all(me);
    tn_self_ptr = &tn_thread_none;
    tn_thread_fini(me);
    if (inside)
        return;
    tn_team_fini_shared(&r->team);
    tn_icv_extra_free(&r->team);
    tn_thread_free(me);
}

/* What the key holds in the initial thread while that has no record. */
static char initial_mark;

static bool is_initial(void)
{
    return (pid_t)syscall(SYS_gettid) == getpid();
}

/* End of a thread of the program. The initial one comes here by pthread_exit only: the process then ends with its last
 * thread, which must not be an idle worker. */
static void thread_end(void *arg)
{
    if (arg != &initial_mark)
        record_end(arg);
    if (is_initial())
        tn_crew_close();
}

static void end_key_make(void)
{
    if (pthread_key_create(&end_key, thread_end) != 0)
        tn_fatal("no thread-specific key left (PTHREAD_KEYS_MAX)");
}

/* By pthread_once, which a child forked in the middle of it begins anew. */
static void end_key_need(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, end_key_make);
}

static void watch(struct tn_thread *t)
{
    bool none = t == &tn_thread_none || t->is_worker;
    pthread_setspecific(end_key, !none ? (void *)t : is_initial() ? &initial_mark : NULL);
}

void tn_thread_watch_initial(void)
{
    if (tn_self_ptr != &tn_thread_none || !is_initial())
        return;
    end_key_need();
    watch(&tn_thread_none);
}

struct tn_thread *tn_self_attach_slow(void)
{
    tn_global_need();
    end_key_need();
    tn_fork_register();
    struct root *r = (struct root *)tn_thread_alloc(false);
    struct tn_thread *me = &r->thread;
    me->cur = &r->member;
    me->task = &r->member.implicit;
    me->group = &me->own_group;
    tn_store(&me->own_group.busy, 1);
    r->team.width = r->team.span = 1;
    r->team.member = &r->member;
    r->team.icv = &tn_global.icv;
    r->member.team = &r->team;
    r->member.thread = me;
    r->member.place = -1;
    tn_team_init_shared(&r->team);
    tn_task_implicit_start(&r->member.implicit, &tn_global.icv, NULL);
    tn_thread_init(me);
    tn_places_attach(me);
    watch(me);
    tn_self_ptr = me;
    return me;
}

struct tn_thread *tn_self_set_aside(void)
{
    struct tn_thread *outer = tn_self_ptr;
    tn_self_ptr = &tn_thread_none;
    return outer;
}

void tn_self_take_back(struct tn_thread *outer)
{
    struct tn_thread *inner = tn_self_ptr;
    if (outer->tid != 0 && outer->tid != (pid_t)syscall(SYS_gettid))
        return; /* child of a fork in between: the outer record's crew is the parent's */
    if (inner != &tn_thread_none) {
        record_end((struct root *)inner);
        watch(outer);
    }
    tn_self_ptr = outer;
}

/* The child of a fork is a new sequential program with the control variables of the task that forked. The old record,
 * and the team whose region may be under way around us, are left as they are: frames of that region may come back to them
 * (tn_region_leave sees that the record is no longer this thread's). */
void tn_thread_fork_child(void)
{
    struct tn_thread *old = tn_self_ptr;
    memset(&all, 0, sizeof all);
    memset(&memory, 0, sizeof memory);
    tn_profile_fork_child();
    if (old == &tn_thread_none) {
        tn_thread_watch_initial();
        return;
    }
    struct tn_icv icv = *old->task->icv;
    tn_self_ptr = &tn_thread_none;
    struct tn_thread *me = tn_self_attach_slow();
    *tn_icv_write(me) = icv;
    me->task->icv->id = tn_icv_new_id();
    me->team_num = old->team_num;
    me->num_teams = old->num_teams;
    me->i8_memory = old->i8_memory;
    me->i8_bytes = old->i8_bytes;
    old->i8_memory = NULL;
    old->i8_bytes = 0;
}

struct tn_icv *tn_icv_write(struct tn_thread *me)
{
    struct tn_task *t = me->task;
    if (!t->icv_own) {
        /* The task's first write takes the store beside it; one whose store child tasks may still see takes a block
         * that lives as long as the region, which no task of it outlives. */
        struct tn_icv *to = &me->cur->icv_store;
        if (t != &me->cur->implicit || t->icv == to) {
            struct tn_icv_extra *x = malloc(sizeof *x);
            if (!x)
                tn_fatal("out of memory for control variables (%zu bytes)", sizeof *x);
            x->next = tn_load(&me->cur->team->icv_extra);
            while (!atomic_compare_exchange_weak_explicit(&me->cur->team->icv_extra, &x->next, x,
                                                          memory_order_release, memory_order_relaxed))
                ;
            to = &x->icv;
        }
        *to = *t->icv;
        t->icv = to;
        t->icv_own = true;
    }
    t->icv->id = tn_icv_new_id();
    return t->icv;
}

void tn_icv_extra_free(struct tn_team *team)
{
    struct tn_icv_extra *x = tn_load(&team->icv_extra);
    tn_store(&team->icv_extra, NULL);
    while (x) {
        struct tn_icv_extra *next = x->next;
        free(x);
        x = next;
    }
}
