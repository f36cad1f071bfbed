/* SPDX-License-Identifier: MIT */
/* Keeping a woken thread off its waker's processor. Leaf: Linux.
 *
 * A hypervisor marks a halted virtual processor as preempted, and Linux then does not take it for idle: the woken thread
 * is queued behind its waker, which goes on computing (measured: 36 of 40 regions after a pause, the first region took
 * 1 to 5 ms). So a sleeper's mask lacks the processor of its waker at the moment of the wake. Each of these calls takes
 * up to 10 us after a pause, so none is between the release and the body where that can be helped: a docked worker takes the
 * processor of its last releaser out before it sleeps; the releaser puts the mask back while the worker is on its way.
 * While several callers are at work nobody is steered: the other processor may be another caller's, and a thread that may run only there
 * waits for its time slice (gromacs with two ranks: five times libgomp's time).
 * A mask that the program or `taskset -p` set meanwhile is found by comparing and left as it is.
 *
 * Model: tests/models/steer.pml. The word `away`:
 *   0  the mask is the thread's own. The fields are written by the thread itself before it sleeps, then by the waker that has
 *      claimed `asleep` (park.h): one after the other
 *   1  it is `sent`, which lacks processor `from` (or is that one alone: `with`); it was `home`
 *   2  claimed, by compare and exchange from 1, or on the way from 0 to 1: the fields and the mask are the claimer's. The thread waits
 *      for 0 before it runs on; a child that its signal handler forks meanwhile takes `home`
 * Only workers are steered: the mask of a thread of the program's is never ours to change, asleep or not.
 * A set made between the comparison and the call that follows it, microseconds, is lost; so is one of the program's that equals
 * `sent`, if the mask is put back between the program's call and tn_steer_forget. */
#ifndef TN_STEER_H
#define TN_STEER_H

#include <sched.h>
#include <sys/types.h>

#include <sys/rseq.h>

#include "base.h"

#define TN_STEER_CPUS 1024 /* machines with more processors are not steered */

struct tn_steer {
    _Atomic uint32_t away; /* see above; orders the rest: acquire by who claims, release by who lets go */
    int from;
    bool with; /* the other way round: to the waker's processor, which has room for it */
    cpu_set_t home, sent;
    bool steered;    /* between regions it slept with a mask of ours and has not judged that yet (affinity.c), */
    cpu_set_t slept; /* this one */
    bool looked;     /* who put the mask back compares masks (affinity.c): the thread need not, after this sleep */
};

/* A thread's masks at one moment, for who compares them. */
struct tn_steer_masks {
    cpu_set_t now, slept;
    bool steered;
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
/* By the thread itself, awake, before it declares itself asleep: `cpu` is where its next waker is likely to be, -1: unknown.
 * `with`: it is to wake there and nowhere else, now and when its waker is on another. */
void tn_steer_before_sleep(struct tn_steer *s, int cpu, bool with);
/* By the waker, before the wake; only one waker of a sleeper may call it at a time (who claimed `asleep`). No system call where
 * the sleeper has guessed right. */
void tn_steer_away(struct tn_steer *s, pid_t sleeper);
/* By anybody after the wake. True: this call has put the mask back, and *masks (or NULL) are for the caller to compare. False:
 * it was back, another is at it, or the kernel does not tell the mask. */
TN_COLD bool tn_steer_home_slow(struct tn_steer *s, pid_t tid, struct tn_steer_masks *masks);
/* `tid` is read where the thread is known to have written it: it or its waker has set `away`. */
TN_INLINE bool tn_steer_home(struct tn_steer *s, const pid_t *tid, struct tn_steer_masks *masks)
{
    return tn_load_acq(&s->away) == 1 && tn_steer_home_slow(s, *tid, masks);
}
/* The program has set the thread's mask: that one is its own from now on, though it may equal `sent`. Anybody. */
void tn_steer_forget(struct tn_steer *s);
/* Child of fork: the thread may have been asleep, and a signal handler of its called fork. `own`: the program has set its mask. */
void tn_steer_fork_child(struct tn_steer *s, bool own);
/* The calling thread leaves processor `cpu`, or (`with`) goes to it; false: its mask does not let it. */
bool tn_steer_move(struct tn_steer *s, int cpu, bool with);

#endif
