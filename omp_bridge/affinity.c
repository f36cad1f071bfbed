/* SPDX-License-Identifier: MIT */
/* Which CPUs threads run on: binding to places, the broadcast of a calling thread's set to its workers, and taking our
 * binding back where it must not be seen. Who may call what: places.h. All our own changes are direct system calls, so that
 * they are never taken for the program's. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crew.h"
#include "places.h"
#include "team.h"
#include "thread.h"
#include "topo.h"

static void set_mask(const cpu_set_t *set)
{
    int saved = errno;
    syscall(SYS_sched_setaffinity, 0, tn_topo_set_size(), set); /* refused (a cgroup shrank): it runs where it may */
    errno = saved;
}

static bool equal(const cpu_set_t *a, const cpu_set_t *b)
{
    return memcmp(a, b, tn_topo_set_size()) == 0;
}

static unsigned count(const cpu_set_t *set)
{
    return (unsigned)CPU_COUNT_S(tn_topo_set_size(), set);
}

static void copy(cpu_set_t **to, const cpu_set_t *from)
{
    if (!*to)
        *to = tn_topo_new_set();
    memcpy(*to, from, tn_topo_set_size());
}

/* --- Bound: places ------------------------------------------------------------------------------------------------- */

void tn_places_attach(struct tn_thread *me)
{
    me->cur->place = tn_places_len ? 0 : -1;
    me->cur->part_off = 0;
    me->cur->part_len = tn_places_len;
}

static _Atomic bool any_bound;     /* we have bound a thread of this process */
static _Atomic bool program_binds; /* the program has set a mask too: a place's set may be its own choice */

/* The set that a thread under `now`, which we have not bound, would have without us: who was made by a bound thread has
 * inherited a place. */
static const cpu_set_t *without_us(const cpu_set_t *now)
{
    size_t size;
    if (tn_load(&any_bound) && !tn_load(&program_binds))
        for (unsigned p = 0; p < tn_places_len; p++)
            if (equal(now, tn_place_set(p)))
                return tn_topo_allowed(&size);
    return now;
}

/* `inherited`: its mask is that of a bound thread, which had this one before; NULL: its mask is its own. */
static void bind_self(struct tn_thread *me, int place, const cpu_set_t *inherited)
{
    if (me->place < 0 && inherited) {
        copy(&me->before, inherited);
    } else if (me->place < 0 || tn_load(&me->mask_own)) {
        union tn_set now;
        if (tn_topo_get_set(0, &now.set))
            copy(&me->before, without_us(&now.set));
    }
    tn_store(&any_bound, true);
    set_mask(tn_place_set((unsigned)place));
    me->place = place;
    tn_store(&me->mask_own, false);
}

static void assign(struct tn_team *team, unsigned bind, const struct tn_member *outer)
{
    for (unsigned i = 0; i < team->width; i++) {
        struct tn_place_slot s = tn_places_assign(i, team->width, bind, (unsigned)outer->place, outer->part_off, outer->part_len);
        team->member[i].place = s.place;
        team->member[i].part_off = s.part_off;
        team->member[i].part_len = s.part_len;
    }
}

static bool prepare_places(struct tn_thread *me, struct tn_team *team, unsigned bind)
{
    const struct tn_member *outer = me->cur;
    /* All that the assignment depends on, besides the width; never 0. */
    uint64_t key = (uint64_t)bind << 60 | (uint64_t)outer->place << 40 | (uint64_t)outer->part_off << 20 | outer->part_len;
    if (team->places_gen != key) {
        assign(team, bind, outer);
        team->places_gen = key;
        team->bind = (uint8_t)bind;
    }
    if (me->place != team->member[0].place)
        bind_self(me, team->member[0].place, NULL);
    for (unsigned i = 1; i < team->width; i++)
        if (team->member[i].thread->place != team->member[i].place)
            return true;
    return false;
}

/* --- Unbound: broadcast of the calling thread's set ----------------------------------------------------------------- */

static void crew_set(struct tn_crew *c, const cpu_set_t *set)
{
    static _Atomic uint64_t last = 1;
    size_t size;
    copy(&c->mask, set);
    c->mask_gen = equal(set, tn_topo_allowed(&size)) ? 1 : atomic_fetch_add(&last, 1) + 1;
}

/* Compares the owner's set with the crew's. One that its workers were not made under is taken as it is; of a crew it has
 * kept, only one that has not shrunk: who pins itself does not mean its workers. Nor does one who did so inside a region. */
static void crew_look(struct tn_crew *c, const struct tn_thread *owner, const cpu_set_t *now)
{
    bool kept = tn_load(&c->mask_kept);
    if (!c->mask)
        crew_set(c, now);
    else if (!tn_load(&owner->mask_own) && !equal(now, c->mask) && (!kept || count(now) >= count(c->mask)))
        crew_set(c, now);
    tn_store(&c->mask_kept, true);
    copy(&c->seen, now);
}

void tn_affinity_crew_taken(struct tn_crew *c, struct tn_thread *owner)
{
    union tn_set now;
    if (tn_places_len || !tn_topo_get_set(0, &now.set))
        return;
    crew_look(c, owner, &now.set);
    if (equal(&now.set, c->mask))
        for (unsigned i = 0; i < c->workers; i++)
            if (c->worker[i]->mask_gen == 0) /* fresh: born with the owner's set */
                c->worker[i]->mask_gen = c->mask_gen;
}

void tn_affinity_crew_free(struct tn_crew *c)
{
    free(c->mask);
    free(c->seen);
    c->mask = c->seen = NULL;
}

static bool prepare_set(struct tn_thread *me, struct tn_team *team, bool doubtful)
{
    struct tn_crew *c = team->crew;
    union tn_set now;
    if (!c->mask)
        return false; /* no worker yet */
    if (doubtful && tn_topo_get_set(0, &now.set))
        crew_look(c, me, &now.set);
    for (unsigned i = 1; i < team->width; i++) {
        const struct tn_thread *w = team->member[i].thread;
        if (w->mask_gen != c->mask_gen && !tn_load(&w->mask_own))
            return true;
    }
    return false;
}

/* A worker that slept is in a region now, so its crew's set and its owner stand still. `own`: its set; `slept`: the one it slept
 * with (steer.h), NULL: not known. What is found is for the owner's next region. */
static void compare(struct tn_thread *worker, struct tn_crew *c, const struct tn_thread *owner, const cpu_set_t *own,
                    const cpu_set_t *slept)
{
    union tn_set callers;
    if (!c->mask || worker->mask_gen != c->mask_gen || !tn_topo_get_set(owner == tn_self() ? 0 : owner->tid, &callers.set))
        return;
    bool moved = !equal(own, c->mask), callers_moved = !equal(&callers.set, c->mask);
    /* From outside the caller's was set to what ours was while we slept: so all were, as far as one can tell. Where others sleep with
     * another set, they tell. */
    if (slept && !tn_park_sleeps_mixed(worker->dock.member->team) && c->seen && !equal(&callers.set, c->seen) &&
        CPU_EQUAL(&callers.set, slept))
        moved = true;
    if (moved && !callers_moved) {
        tn_store(&worker->mask_own, true); /* somebody chose for this thread alone */
    } else if (moved) {
        tn_store(&c->mask_kept, false); /* for all threads: then also what has shrunk is meant for all */
        atomic_fetch_add(&tn_gen, 1);
    } else if (callers_moved && !tn_load(&owner->mask_own) && count(&callers.set) >= count(c->mask)) {
        atomic_fetch_add(&tn_gen, 1);
    }
}

/* Larger sets are never steered. */
static bool set_is_plain(void) { return tn_topo_set_size() <= sizeof(cpu_set_t); }

void tn_affinity_woke(struct tn_thread *me)
{
    const struct tn_member *m = me->dock.member;
    union tn_set own;
    if (me->park.steer.looked || tn_places_len || !m || tn_load(&me->mask_own))
        return;
    struct tn_crew *c = m->team->crew;
    if (tn_topo_get_set(0, &own.set))
        compare(me, c, tn_load(&c->owner), &own.set, set_is_plain() && me->park.steer.steered ? &me->park.steer.slept : NULL);
}

void tn_affinity_waking(struct tn_thread *me, struct tn_thread *worker, bool look)
{
    struct tn_steer_masks masks;
    look &= set_is_plain();
    if (tn_steer_home(&worker->park.steer, &worker->tid, look ? &masks : NULL) && look && !tn_load(&worker->mask_own))
        compare(worker, worker->dock.member->team->crew, me, &masks.now, masks.steered ? &masks.slept : NULL);
}

/* --- OMP_DISPLAY_AFFINITY ------------------------------------------------------------------------------------------- */

void (*tn_affinity_show)(const struct tn_member *m, const struct tn_thread *t);

const cpu_set_t *tn_affinity_crew_set(const struct tn_member *m, const struct tn_thread *t)
{
    return t != tn_self() && t->is_worker && !tn_load(&t->mask_own) && m->team->crew ? m->team->crew->mask : NULL;
}

/* A line per member, from the calling thread, in order; not again for the team that was shown last, nor for width 1. */
static TN_COLD void show(struct tn_team *team)
{
    struct tn_crew *c = team->crew;
    if (!tn_affinity_show || team->width == 1 || c->shown == team)
        return;
    c->shown = team;
    for (unsigned i = 0; i < team->width; i++)
        tn_affinity_show(&team->member[i], team->member[i].thread);
}

/* --- Both ---------------------------------------------------------------------------------------------------------- */

bool tn_affinity_prepare(struct tn_thread *me, struct tn_team *team, unsigned bind, bool doubtful)
{
    bool apply = tn_places_len ? prepare_places(me, team, bind) : prepare_set(me, team, doubtful);
    if (tn_unlikely(tn_global.display_affinity))
        show(team);
    return apply;
}

void tn_affinity_apply(struct tn_thread *worker, struct tn_member *m)
{
    if (tn_places_len) {
        if (worker->place != m->place)
            bind_self(worker, m->place, m->team->member[0].thread->before);
        return;
    }
    const struct tn_crew *c = m->team->crew;
    if (worker->mask_gen == c->mask_gen || tn_load(&worker->mask_own))
        return;
    set_mask(c->mask);
    worker->mask_gen = c->mask_gen;
}

/* From inside a region a thread speaks for itself; a worker always does. Between regions a calling thread speaks for the
 * threads it will use. What the program says about a bound thread holds until its place changes. */
void tn_affinity_program_set(pid_t tid, const pthread_t *thread)
{
    struct tn_thread *me = tn_self();
    bool found = false;
    tn_store(&program_binds, true);
    if (tid == 0 && !thread)
        tid = me->tid;
    for (struct tn_thread *t = tn_thread_all_lock(); t && !found; t = t->next_all) {
        found = thread ? pthread_equal(t->pthread, *thread) : t->tid == tid;
        if (!found)
            continue;
        bool inside = t == me && t->cur->team->level > 0;
        tn_store(&t->mask_own, t->is_worker || inside || tn_places_len > 0);
        tn_steer_forget(&t->park.steer);
    }
    tn_thread_all_unlock();
    if (found)
        atomic_fetch_add(&tn_gen, 1);
}

bool tn_affinity_unbind(union tn_set *was)
{
    const struct tn_thread *me = tn_self();
    const cpu_set_t *free_set = NULL;
    bool steered = tn_load(&me->park.steer.away) != 0; /* this is a signal handler's, and we are a worker that sleeps */
    if (tn_likely(!tn_load(&any_bound) && !steered) || !tn_topo_get_set(0, &was->set))
        return false;
    if (steered)
        free_set = CPU_EQUAL(&was->set, &me->park.steer.sent) ? &me->park.steer.home : NULL;
    else if (me == &tn_thread_none)
        free_set = without_us(&was->set);
    else if (me->place >= 0 && !tn_load(&me->mask_own) && equal(&was->set, tn_place_set((unsigned)me->place)))
        free_set = me->before; /* bound by us, and nobody has set another mask since */
    if (!free_set || equal(free_set, &was->set))
        return false;
    set_mask(free_set);
    return true;
}

void tn_affinity_rebind(const union tn_set *was)
{
    set_mask(&was->set);
}

void tn_affinity_fork_child(void)
{
    union tn_set was;
    struct tn_thread *me = tn_self_ptr;
    if (me != &tn_thread_none)
        tn_steer_fork_child(&me->park.steer, tn_load(&me->mask_own));
    tn_affinity_unbind(&was);
}
