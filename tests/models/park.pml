/* SPDX-License-Identifier: MIT */
/* Model of omp_bridge/park.h: a waiter that goes to sleep, a waker that does not fence. Each thread has a store buffer of
 * one entry that drains whenever it likes (x86-TSO; weaker machines drain no later than the membarrier either).
 * Properties: no reachable state where the sleeper is blocked for ever (Spin: no invalid end state); a waker that steers
 * (changes the sleeper's mask) is done before the sleeper goes on (assertion).
 * BUGS: 4
 *   -DBUG=1  no membarrier between `asleep = 1` and the second look
 *   -DBUG=2  the second look is left out
 *   -DBUG=3  the waker looks at `asleep` before it publishes
 *   -DBUG=4  a sleeper that a waker has claimed does not wait for it
 */
#ifndef BUG
#define BUG 0
#endif
#define ROUNDS 3

byte cond = 0;          /* memory; the waker stores the round number */
byte asleep = 0;        /* memory: the futex word, 2: claimed */
bit steering = 0;       /* ghost: a waker is between claim and release */
byte buf_cond = 255;    /* waker's store buffer, 255: empty */
byte buf_asleep = 255;  /* sleeper's store buffer */
chan ack = [0] of { byte };

inline drain_cond()   { if :: buf_cond != 255 -> cond = buf_cond; buf_cond = 255 :: else -> skip fi }
inline drain_asleep() { if :: buf_asleep != 255 -> asleep = buf_asleep; buf_asleep = 255 :: else -> skip fi }

/* The processors draining their buffers at any time. */
active proctype drains()
{
end:
    do
    :: atomic { buf_cond != 255 -> drain_cond() }
    :: atomic { buf_asleep != 255 -> drain_asleep() }
    od
}

active proctype sleeper()
{
    byte round = 1;
    do
    :: round > ROUNDS -> break
    :: else ->
        do
        :: cond == round -> break
        :: cond != round ->
            atomic { drain_asleep(); buf_asleep = 1 }               /* a */
#if BUG != 1
            atomic { drain_asleep(); drain_cond() }                 /* b: membarrier, every thread */
#endif
            if
#if BUG != 2
            :: cond == round -> skip                                /* c */
            :: cond != round ->
#else
            :: true ->
#endif
                atomic { drain_asleep() }                           /* entering the kernel */
                if
                :: asleep != 1 -> skip                              /* d: the word differs: EAGAIN */
                :: asleep == 1 -> (asleep == 0)                     /* d: blocked until the wake that follows the 0 */
                fi
            fi;
            atomic { drain_asleep() };                              /* tn_park_finish: a locked instruction drains */
            if
            :: atomic { asleep == 1 -> asleep = 0 }
            :: asleep != 1 ->
#if BUG != 4
                (asleep == 0)
#else
                skip
#endif
            fi;
            assert(!steering)
        od;
        ack ! round;
        round++
    od
}

active proctype waker()
{
    byte round = 1;
    byte seen;
    do
    :: round > ROUNDS -> break
    :: else ->
#if BUG == 3
        seen = asleep;
#endif
        atomic { drain_cond(); buf_cond = round };                  /* e */
#if BUG != 3
        seen = asleep;                                              /* f */
#endif
        if
        :: seen == 1 ->
            if
            :: atomic { asleep == 1 -> drain_cond(); asleep = 2; steering = 1 }     /* claim */
                steering = 0;                                       /* steered */
                asleep = 0                                          /* and futex_wake */
            :: asleep != 1 -> skip
            fi
        :: else -> skip
        fi;
        ack ? _;
        round++
    od
}
