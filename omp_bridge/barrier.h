/* SPDX-License-Identifier: MIT */
/* Barrier of a team. Two shapes:
 *   exchange (narrow teams): each member publishes its arrival and looks at everybody's: one transfer deep;
 *   tree: parents gather children, member 0 releases down through the docks' `go` words.
 * Explicit tasks are all done when a barrier is passed (OpenMP 5.1, 2.19.2): if any were deferred, members drain them first
 * (task.h). Called by members only. */
#ifndef TN_BARRIER_H
#define TN_BARRIER_H

#include "team.h"

void tn_barrier(struct tn_thread *me);
/* A barrier inside a cancellable region: true if the region is cancelled (then nobody waits). */
bool tn_barrier_cancel(struct tn_thread *me);
/* Between arrival and leaving, one member alone (the last or member 0) has run `once`. NULL: none. Used by constructs that must
 * reset or combine something. */
void tn_join_arrive(struct tn_thread *me);               /* worker's end of region */
void tn_join_gather(struct tn_thread *me, struct tn_team *team); /* member 0's */

#endif
