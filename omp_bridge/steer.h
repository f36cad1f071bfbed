/* SPDX-License-Identifier: MIT */
/* Keeping a woken thread off its waker's processor. Leaf: Linux.
 *
 * A hypervisor marks a halted virtual processor as preempted, and Linux then does not take it for idle: the woken thread
 * is queued behind its waker, which goes on computing (measured: 36 of 40 regions after a pause, the first region took
 * 1 to 5 ms). So the waker takes its own processor out of the sleeper's mask before it wakes it, and the sleeper puts its
 * mask back when it runs. The mask is read when it is changed, never remembered from before, so one that the program or
 * `taskset -p` set meanwhile comes back; one set in the few microseconds between is found by comparing. */
#ifndef TN_STEER_H
#define TN_STEER_H

#include <sched.h>
#include <sys/types.h>

#include <sys/rseq.h>

#include "base.h"

#define TN_STEER_CPUS 1024 /* machines with more processors are not steered */

struct tn_steer {
    _Atomic bool away; /* the waker changed the mask; the sleeper clears it. In between `home` and `sent` are fixed */
    cpu_set_t home;    /* what it was */
    cpu_set_t sent;    /* what it was made */
};

/* Processor the calling thread runs on; -1: unknown. A few instructions where the C library registers rseq. */
TN_COLD int tn_cpu_now_slow(void);
TN_INLINE int tn_cpu_now(void)
{
    if (tn_unlikely(__rseq_size < 8))
        return tn_cpu_now_slow();
    const volatile struct rseq *r = (const void *)((const char *)__builtin_thread_pointer() + __rseq_offset);
    return (int)r->cpu_id;
}
/* By the waker, before the wake; only one waker of a sleeper may call it at a time (who took `asleep` from 1 to 0). */
void tn_steer_away(struct tn_steer *s, pid_t sleeper);
/* By the woken thread itself. */
TN_COLD void tn_steer_home_slow(struct tn_steer *s);
TN_INLINE void tn_steer_home(struct tn_steer *s)
{
    if (tn_load_acq(&s->away))
        tn_steer_home_slow(s);
}
/* The calling thread leaves processor `cpu`; false: its mask has no other. */
bool tn_steer_leave(int cpu);

#endif
