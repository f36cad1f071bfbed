/* SPDX-License-Identifier: MIT */
/* Who looks on before it yields. Members of crowded teams, in their slow waits; lines read: of each member of the team where it last
 * waited (seldom written), and of those who have yet to come their arrival and whether they yield. */
#include "linger.h"

#include "team.h"
#include "thread.h"

#define POLLS (2 * TN_POLLS) /* what a yield and the way back take */
#define IN_VAIN_MOST 16      /* then one of so many waits tries */
#define WIDEST 64            /* of whose members one looks at each */

static bool has_come(const struct tn_member *m, uint64_t epoch)
{
    if (m->team->exchange && (uint32_t)epoch != TN_IDX_JOIN)
        return tn_load(&m->arrive[epoch & 1]) == epoch;
    return m->num > 0 && tn_load(&m->thread->dock.arrived) == epoch;
}

struct late { bool here, running; };

/* Of those who have yet to come. In the region: between regions members change. */
static struct late who_is_late(const struct tn_thread *me, uint64_t epoch)
{
    const struct tn_team *team = me->cur->team;
    struct late late = {.here = team->width > WIDEST};
    int cpu = tn_cpu_now();
    for (unsigned i = 0; i < team->width && !late.here; i++) {
        const struct tn_member *m = &team->member[i];
        if (m->thread == me || has_come(m, epoch))
            continue;
        late.here = tn_load(&m->thread->runs_cpu) == cpu;
        late.running |= !tn_load(&m->thread->away);
    }
    return late;
}

void tn_linger_arrives(struct tn_thread *me, uint64_t epoch)
{
    me->linger.last_here = !who_is_late(me, epoch).here;
}

void tn_linger_begin(struct tn_thread *me)
{
    me->linger.in_vain -= me->linger.stays && me->linger.in_vain > 0;
    me->linger.stays = false;
}

static bool coin(struct tn_thread *me)
{
    me->seed = me->seed * 1664525u + 1013904223u;
    return me->seed >> 31;
}

/* A worker between regions: for its releaser. */
static bool for_region(struct tn_thread *me, bool alone)
{
    const struct tn_thread *releaser = me->linger.gatherer;
    if (!releaser || me->caller_cpu == tn_cpu_now())
        return false;
    if (alone)
        return !tn_load(&me->cur->team->crowded) || me->linger.last_here;
    return me->cur->team->width <= tn_global.procs && (!tn_load(&releaser->away) || coin(me));
}

static bool for_others(struct tn_thread *me, uint64_t epoch, bool alone)
{
    struct late late = who_is_late(me, epoch);
    return !late.here && (alone || (me->cur->team->width <= tn_global.procs && (late.running || coin(me))));
}

static bool worth_it(const struct tn_wait *w, struct tn_thread *me, bool alone)
{
    if (me->linger.in_vain >= IN_VAIN_MOST && me->yields % IN_VAIN_MOST != 0)
        return false;
    if (!alone && me->cur->team->span > 2 * tn_global.procs)
        return false; /* of so many teams hardly one has all its members running */
    return w->idle ? for_region(me, alone) : w->epoch && for_others(me, w->epoch, alone);
}

bool tn_linger(struct tn_wait *w, struct tn_thread *me, bool alone)
{
    if (w->linger == 0) {
        if (!worth_it(w, me, alone))
            return false;
        me->linger.stays = true;
        w->linger = POLLS;
    }
    if (--w->linger == 0) {
        me->linger.stays = false;
        me->linger.in_vain += me->linger.in_vain < IN_VAIN_MOST;
        return false;
    }
    tn_cpu_relax();
    return true;
}
