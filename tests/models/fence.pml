/* SPDX-License-Identifier: MIT */
/* Model of omp_bridge/fence.h: the seldom side (a sleeper) and the often side (a waker) each store and then look at the other's
 * store, while a third thread changes who pays for the fence. Each has a store buffer of one entry that drains whenever it likes;
 * a membarrier drains all, wherever their threads stand.
 * Property: one of the two sees the other's store, or the sleeper would sleep for ever (Spin: no invalid end state).
 * BUGS: 4
 *   -DBUG=1  the sleeper looks at the mode before its store
 *   -DBUG=2  no membarrier when the mode changes
 *   -DBUG=3  the mode changes first, then the membarrier
 *   -DBUG=4  the waker does not fence on the way between the two modes
 */
#ifndef BUG
#define BUG 0
#endif
#define ROUNDS 2
#define NONE 255

byte mode = 0; /* 0: membarrier by the sleeper, 1: both, 2: a fence by the waker */
byte cond = 0, asleep = 0;
byte buf_cond = NONE, buf_asleep = NONE;
chan ack = [0] of { byte };

inline drain_cond()   { if :: buf_cond != NONE -> cond = buf_cond; buf_cond = NONE :: else -> skip fi }
inline drain_asleep() { if :: buf_asleep != NONE -> asleep = buf_asleep; buf_asleep = NONE :: else -> skip fi }

active proctype drains()
{
end:
    do
    :: atomic { buf_cond != NONE -> drain_cond() }
    :: atomic { buf_asleep != NONE -> drain_asleep() }
    od
}

active proctype sleeper()
{
    byte round = 1, seen;
    do
    :: round > ROUNDS -> break
    :: else ->
        do
        :: cond == round -> break
        :: cond != round ->
#if BUG == 1
            seen = mode;
#endif
            atomic { drain_asleep(); buf_asleep = 1 }
#if BUG != 1
            seen = mode;
#endif
            if
            :: seen == 2 -> atomic { drain_asleep() }
            :: seen != 2 -> atomic { drain_asleep(); drain_cond() }
            fi;
            if
            :: cond == round -> skip
            :: cond != round ->
                atomic { drain_asleep() } /* into the kernel */
                (asleep == 0)
            fi;
            atomic { drain_asleep(); asleep = 0 }
        od;
        ack ! round;
        round++
    od
}

active proctype waker()
{
    byte round = 1, seen;
    do
    :: round > ROUNDS -> break
    :: else ->
        atomic { drain_cond(); buf_cond = round };
        seen = mode;
        if
#if BUG == 4
        :: seen == 2 -> atomic { drain_cond() }
#else
        :: seen != 0 -> atomic { drain_cond() }
#endif
        :: else -> skip
        fi;
        if
        :: atomic { asleep == 1 -> drain_cond(); asleep = 0 }
        :: asleep == 0 -> skip
        fi;
        ack ? _;
        round++
    od
}

active proctype payer()
{
    byte changes = 0, want;
    do
    :: changes == 3 -> break
    :: changes < 3 ->
        want = 2 - mode;
#if BUG != 3
        mode = 1;
#else
        mode = want;
#endif
#if BUG != 2
        atomic { drain_cond(); drain_asleep() }
#endif
        mode = want;
        changes++
    :: break
    od
}
