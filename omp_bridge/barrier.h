/* SPDX-License-Identifier: MIT */
/* Barrier of a team, and the join at the end of a region. Two shapes:
 *   exchange (narrow teams): each member publishes its arrival and looks at everybody's; one transfer deep;
 *   tree: parents gather children (`arrived` in the dock line), member 0 releases downwards through `go` in the same.
 * The join is always the gathering half of the tree: workers that have arrived go to their dock.
 * Exchange at width 2: the own line out, the partner's in (2 transfers, at the same time), no fence, no system call; instructions
 * of a member that finds the partner there, counted by tests/check_budget.sh:
 *   BUDGET barrier 140
 * Explicit tasks are done when a barrier or join is passed (OpenMP 5.1, 2.19.2): members run them while they wait, and if
 * any were deferred they drain them before they leave (task.h). Called by members only. */
#ifndef TN_BARRIER_H
#define TN_BARRIER_H

#include "team.h"

void tn_barrier(struct tn_thread *me);
/* A barrier inside a cancellable region: true if the region is cancelled (then nobody waits for the others). */
bool tn_barrier_cancel(struct tn_thread *me);
/* A worker's end of a region; member 0's: returns when all have arrived and all tasks are done. */
void tn_join_arrive(struct tn_thread *me);
void tn_join_gather(struct tn_thread *me, struct tn_team *team);

/* Before one looks (a gatherer: again) at a dock line that the other side has yet to read and to write: two pauses, about as long
 * as that takes at the least. A look in between takes the line away from who needs it, two transfers more (NOTES.md). */
TN_INLINE void tn_leave_line(bool crowded)
{
    if (tn_likely(!crowded)) {
        tn_cpu_relax();
        tn_cpu_relax();
    }
}

/* As tn_wait_until; runs tasks of the team meanwhile. */
#define tn_wait_working(me, team, cond, ...)                                                       \
    do {                                                                                           \
        struct tn_wait tn_w_ = {__VA_ARGS__};                                                      \
        while (!(cond)) {                                                                          \
            if (tn_unlikely(tn_task_pending(team)) && tn_task_run_one((me), (team))) {                 \
                tn_w_.start_ns = 0;                                                                \
                continue;                                                                          \
            }                                                                                      \
            if (tn_likely(tn_wait_step(&tn_w_, (me))))                                             \
                continue;                                                                          \
            tn_park_prepare((me), (team));                                                         \
            if (!(cond) && !tn_task_runnable(team))                                                \
                tn_park_commit(me);                                                                \
            tn_park_finish((me), (team));                                                          \
            tn_w_.start_ns = 0;                                                                    \
        }                                                                                          \
    } while (0)

#endif
