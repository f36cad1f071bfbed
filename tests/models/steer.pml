/* SPDX-License-Identifier: MIT */
/* Model of omp_bridge/steer.h: the mask of a thread that sleeps is changed by itself beforehand, by its waker, and put back by
 * whoever comes first; meanwhile somebody outside, or the thread's own work, sets a mask of their own. Comparing the mask and
 * setting it are two system calls: a set from outside in the microseconds between is lost (steer.h), so none is made there.
 * Properties: the work runs under the thread's own mask; a mask set by anybody else stays; nobody waits for ever.
 * BUGS: 4
 *   -DBUG=1  the thread does not wait for one who has claimed its mask
 *   -DBUG=2  the waker puts the mask back without a claim
 *   -DBUG=3  the mask is put back whatever it is now
 *   -DBUG=4  a waker on another processor than the one that was guessed does not claim
 */
#ifndef BUG
#define BUG 0
#endif
#define ROUNDS 3
#define HOME 0
#define LESS(cpu) (1 + (cpu)) /* the mask without that processor */
#define USER 9

byte mask = HOME;
byte home, sent = 99, from; /* struct tn_steer */
byte away = 0;
byte cond = 0, asleep = 0;
bit user = 0;               /* ghost: somebody has set a mask of his own */
chan ack = [0] of { byte };

byte between = 0;           /* ghost: a mask has been compared and not yet set */

inline put(value)
{
    if
#if BUG != 3
    :: atomic { mask == sent -> between++ }
#else
    :: between++
#endif
        atomic { mask = value; between-- }
#if BUG != 3
    :: mask != sent -> skip
#endif
    fi
}

inline put_back()
{
    if
#if BUG == 2
    :: away == 1 ->
#else
    :: atomic { away == 1 -> away = 2 }
#endif
        put(home);
        away = 0
    :: else -> skip
    fi
}

active proctype sleeper()
{
    byte round = 1, cpu;
    do
    :: round > ROUNDS -> break
    :: else ->
        if
        :: skip /* it is bound, or has guessed nothing */
        :: away == 0 ->
            select(cpu : 0 .. 1);
            home = mask;
            away = 2;
            sent = LESS(cpu);
            from = cpu;
            atomic { if :: mask == home -> mask = sent :: else -> skip fi };
            away = 1
        fi;
        do
        :: cond == round -> break
        :: cond != round ->
            asleep = 1;
            if
            :: cond == round -> skip
            :: cond != round -> (asleep == 0)
            fi;
            if
            :: atomic { asleep == 1 -> asleep = 0 }
            :: asleep != 1 -> (asleep == 0)
            fi
        od;
        do
        :: away == 0 -> break
        :: atomic { away == 1 -> away = 2 }
            put(home);
            away = 0
#if BUG == 1
        :: away == 2 -> break
#endif
        od;
        assert(mask == HOME || mask == USER);
        if
        :: atomic { !user -> mask = USER; user = 1 } /* the work sets a mask */
        :: skip
        fi;
        assert(!user || mask == USER);
        ack ! round;
        round++
    od;
    assert(!user || mask == USER)
}

active proctype waker()
{
    byte round = 1, cpu;
    do
    :: round > ROUNDS -> break
    :: else ->
        cond = round;
        if
        :: atomic { asleep == 1 -> asleep = 2 } /* claimed */
            select(cpu : 0 .. 1);
            if
            :: away == 0 ->
                home = mask;
                away = 2;
                sent = LESS(cpu);
                from = cpu;
                atomic { if :: mask == home -> mask = sent :: else -> skip fi };
                away = 1
#if BUG != 4
            :: atomic { away == 1 && from != cpu -> away = 2 }
                if
                :: atomic { mask == sent -> between++ }
                    sent = LESS(cpu);
                    from = cpu;
                    atomic { mask = sent; between-- };
                    away = 1
                :: mask != sent -> away = 0
                fi
#else
            :: away == 1 && from != cpu ->
                sent = LESS(cpu);
                from = cpu;
                mask = sent;
                away = 1
#endif
            :: else -> skip
            fi;
            asleep = 0;
            put_back()
        :: else -> skip
        fi;
        ack ? _;
        round++
    od
}

active proctype outside()
{
    if
    :: atomic { !user && between == 0 -> mask = USER; user = 1 }
    :: skip
    fi
}
