/* SPDX-License-Identifier: MIT */
/* Model of omp_bridge/park.h: a waiter that goes to sleep, a waker that does not fence. Each thread has a store buffer of
 * one entry that drains whenever it likes (x86-TSO; weaker machines drain no later than the membarrier either).
 * Property: no reachable state where the sleeper is blocked for ever (Spin: no invalid end state).
 * BUGS: 3
 *   -DBUG=1  no membarrier between `asleep = 1` and the second look
 *   -DBUG=2  the second look is left out
 *   -DBUG=3  the waker looks at `asleep` before it publishes
 */
#ifndef BUG
#define BUG 0
#endif
#define ROUNDS 3

byte cond = 0;          /* memory; the waker stores the round number */
bit asleep = 0;         /* memory: the futex word */
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
                :: asleep == 0 -> skip                              /* d: the word differs: EAGAIN */
                :: asleep == 1 -> (asleep == 0)                     /* d: blocked until a wake clears it */
                fi
            fi;
            atomic { drain_asleep(); buf_asleep = 0 }
        od;
        ack ! round;
        round++
    od
}

active proctype waker()
{
    byte round = 1;
    bit seen;
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
        :: seen -> atomic { drain_cond(); asleep = 0 }              /* exchange, futex_wake */
        :: else -> skip
        fi;
        ack ? _;
        round++
    od
}
