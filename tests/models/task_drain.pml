/* SPDX-License-Identifier: MIT */
/* Model of the end of a drain (omp_bridge/task_sched.c): member 0 has run what it had and goes to sleep; two others each end
 * a last task, then, finding no more, look whether all are finished (told_last). Their counts pass through store buffers
 * of one entry; their exchange drains its own; member 0's membarrier drains both.
 * Property: member 0 does not sleep for ever with all tasks finished (Spin: no invalid end state).
 * BUGS: 3
 *   -DBUG=1  a plain store instead of the exchange before the look
 *   -DBUG=2  the waker looks at `asleep` before it counts
 *   -DBUG=3  member 0 does not look again before it sleeps
 */
#ifndef BUG
#define BUG 0
#endif
#define MEMBERS 2

bit finished[MEMBERS], pending[MEMBERS]; /* memory; store buffers */
bit asleep = 0;

inline flush(i) { if :: pending[i] -> finished[i] = 1; pending[i] = 0 :: else -> skip fi }
#define ALL (finished[0] && finished[1])

active proctype buffers()
{
end:
    do
    :: atomic { pending[0] -> flush(0) }
    :: atomic { pending[1] -> flush(1) }
    od
}

active [MEMBERS] proctype member()
{
    byte i = _pid - 1;
    bit early = 0, a, b;
#if BUG == 2
    early = asleep;
#endif
    pending[i] = 1;               /* finished, released */
#if BUG != 1
    atomic { flush(i) };          /* the exchange */
#endif
    a = finished[0] || (i == 0);  /* one's own count is always seen */
    b = finished[1] || (i == 1);
    if
    :: a && b ->
#if BUG == 2
        if :: early -> asleep = 0 :: else -> skip fi
#else
        if :: asleep -> asleep = 0 :: else -> skip fi
#endif
    :: else -> skip
    fi
}

active proctype drainer()
{
    do
    :: ALL -> break
    :: else ->
        asleep = 1;
        atomic { flush(0); flush(1) }; /* membarrier */
#if BUG != 3
        if
        :: ALL -> break
        :: else -> skip
        fi;
#endif
        (asleep == 0)                  /* futex */
    od
}
