/* SPDX-License-Identifier: MIT */
/* Cancellation of regions and worksharing constructs (OpenMP 5.1, 2.20); of taskgroups in task_group.c. Called by members.
 * A cancelled worksharing construct has no nowait clause, so it is named by the number of barriers its members have passed,
 * which holds for static loops too, that never tell us of their start. */
#include "loop_impl.h"

bool tn_cancelled(struct tn_thread *me, int what)
{
    struct tn_member *m = me->cur;
    struct tn_team *team = m->team;
    if (tn_likely(!tn_global.cancel))
        return false;
    if (tn_load_acq(&team->cancelled)) {
        if (what != TN_CANCEL_TASKGROUP)
            tn_ws_quit(me); /* else it is a task that ends, and the member stays */
        return true;
    }
    if (what & (TN_CANCEL_LOOP | TN_CANCEL_SECTIONS)) /* tn_team_none never matches: its construct is not cancelled */
        return team != &tn_team_none && tn_load_acq(&team->ws.cancelled) == TN_EPOCH(m->seq, m->bar_idx);
    return (what & TN_CANCEL_TASKGROUP) && tn_task_group_cancelled(me);
}

bool tn_cancel(struct tn_thread *me, int what)
{
    struct tn_member *m = me->cur;
    struct tn_team *team = m->team;
    if (tn_likely(!tn_global.cancel))
        return false;
    if (what & (TN_CANCEL_LOOP | TN_CANCEL_SECTIONS)) {
        tn_store_rel(&team->ws.cancelled, TN_EPOCH(m->seq, m->bar_idx));
    } else if (what & TN_CANCEL_TASKGROUP) {
        tn_task_cancel_group(me);
    } else {
        if (!team->crew)
            return false; /* no region to cancel */
        tn_store_rel(&team->cancelled, 1);
        tn_ws_quit(me);
        tn_team_wake(team, team->width);
    }
    return true;
}
