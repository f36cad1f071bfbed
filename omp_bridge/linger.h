/* SPDX-License-Identifier: MIT */
/* Before a crowded wait yields: is it quicker to look on for a while? A yield and the way back take two switches, 2 us and more. They are
 * for members on this processor that have yet to come to where one waits. Where there are none, and
 *   the team has the processors for itself: nobody it waits for needs this one. Of two members beside their caller's processor the one that
 *     was last in a region is then the first in the next: a switch a region, not two;
 *   other teams share them (nested ones, several callers): the others are likely to be running if they do not yield. So both members
 *     of one team run at a time, while the other's wait for a slice or for a barrier of theirs. If each waits for one that yields, all
 *     would go on so: now and then one stays.
 * Advice only: who is wrong about another has lost some polls, or a yield. All fields are hints, in any order. */
#ifndef TN_LINGER_H
#define TN_LINGER_H

#include "base.h"

struct tn_thread;
struct tn_wait;

struct tn_linger {
    bool stays;        /* its last crowded wait was looking on when it ended, and had not yielded; */
    uint8_t in_vain;   /* how often more it was not */
    bool last_here;    /* worker: of its team's members on this processor it was the last to arrive at the last join */
    struct tn_thread *gatherer; /* worker: who gathers it */
};

/* A wait that may yield begins: how did the last one end? */
void tn_linger_begin(struct tn_thread *me);
/* True: poll again, do not yield yet. `alone`: no other team's members are about. */
bool tn_linger(struct tn_wait *w, struct tn_thread *me, bool alone);
/* A worker of a crowded team is about to arrive at the join `epoch`. */
TN_COLD void tn_linger_arrives(struct tn_thread *me, uint64_t epoch);

#endif
