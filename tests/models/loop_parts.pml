/* SPDX-License-Identifier: MIT */
/* Model of dynamic loops (omp_bridge/loop.c: part_open, take, take_half, steal): constructs with nowait between them, in a ring
 * of slots that is used again (that it is so only when all have left is what loop_ring.pml shows; here it is given). Each
 * member has a part of the units, filled by whoever comes to it first, takes from its front and steals half of another's.
 * Either two members in three constructs, or three members in one.
 * Properties: each unit of each construct is executed, and once (assertions); who gets the last unit gets no more (assertion);
 * nobody waits for ever (end states).
 * BUGS: 7
 *   -DBUG=1  a thief takes by a look and a store instead of compare and exchange
 *   -DBUG=2  the owner takes by a look and a store
 *   -DBUG=3  a part is claimed by a look and a store: filled twice
 *   -DBUG=4  a part is published before it is filled
 *   -DBUG=5  the last unit goes to everybody who finds the parts empty
 *   -DBUG=6  a thief leaves the unit that it executes in its part
 *   -DBUG=7  a slot is used again while somebody is in it
 */
#ifndef BUG
#define BUG 0
#endif
#define WIDEST 3
#define RING 2
#define MOST 3     /* constructs */
#define UNITS 5    /* the last one is in no part */
#define NONE 255
#define PART(i) ((n % RING) * W + (i))
#define FIRST(i) (((UNITS - 1) / W) * (i) + ((i) < (UNITS - 1) % W -> (i) : (UNITS - 1) % W))

byte W, N;
byte lo[RING * WIDEST], hi[RING * WIDEST], claim[RING * WIDEST], ready[RING * WIDEST], drained[RING], at[WIDEST];
byte todo[MOST];      /* ghost, a bit a unit: not executed yet */
byte finished;     /* ghost */

inline execute(u)
{
    d_step {
        assert(todo[n] & (1 << (u)));
        assert(!last);
        todo[n] = todo[n] & ~(1 << (u))
    }
}

/* opened: whether part `i` is filled now; false: somebody is at it */
inline open_part(i)
{
    if
    :: ready[PART(i)] == n -> opened = 1
    :: else ->
#if BUG == 3
        seen = claim[PART(i)];
        claim[PART(i)] = n;
#else
        atomic { seen = claim[PART(i)]; claim[PART(i)] = n };
#endif
        if
        :: seen == n -> opened = 0
        :: else ->
#if BUG == 4
            ready[PART(i)] = n;
            atomic { lo[PART(i)] = FIRST(i); hi[PART(i)] = FIRST(i + 1) };
#else
            atomic { lo[PART(i)] = FIRST(i); hi[PART(i)] = FIRST(i + 1) };
            ready[PART(i)] = n;
#endif
            opened = 1
        fi
    fi
}

/* From the own part, until it is empty: an addition to the front, which may leave it one too high. */
inline take_own()
{
    do
    :: true ->
#if BUG == 2
        atomic { a = lo[PART(me)]; b = hi[PART(me)] };
        lo[PART(me)] = a + 1;
#else
        atomic { a = lo[PART(me)]; b = hi[PART(me)]; lo[PART(me)] = a + 1 };
#endif
        if
        :: a < b -> execute(a)
        :: else -> break
        fi
    od
}

/* got: the back half of part `v` was taken, its first unit executed, the rest is in the own part now. */
inline take_half(v)
{
    do
    :: atomic { a = lo[PART(v)]; b = hi[PART(v)] };
        if
        :: a >= b -> break
        :: else ->
            seen = (b - a + 1) / 2;
#if BUG == 1
            hi[PART(v)] = b - seen; got = 1
#else
            atomic {
                if
                :: lo[PART(v)] == a && hi[PART(v)] == b -> hi[PART(v)] = b - seen; got = 1
                :: else -> skip
                fi
            }
#endif
            if
            :: got ->
#if BUG == 6
                atomic { lo[PART(me)] = b - seen; hi[PART(me)] = b };
#else
                atomic { lo[PART(me)] = b - seen + 1; hi[PART(me)] = b };
#endif
                execute(b - seen);
                break
            :: else -> skip
            fi
        fi
    od
}

inline steal_round()
{
    i = 1; busy = 0; got = 0;
    do
    :: i == W || got -> break
    :: else ->
        open_part((me + i) % W);
        if
        :: opened -> take_half((me + i) % W)
        :: else -> busy = 1
        fi;
        i++
    od
}

inline loop()
{
    open_part(me);
    if :: opened -> skip :: else -> (ready[PART(me)] == n) fi;
    busy = 1;
    do
    :: take_own();
        got = 0; busy = 1;
        do
        :: busy && !got && drained[n % RING] != n -> steal_round()
        :: else -> break
        od;
        if :: got -> skip :: else -> break fi
    od;
#if BUG == 5
    if
    :: drained[n % RING] == n -> skip
    :: else -> drained[n % RING] = n; execute(UNITS - 1); last = 1
    fi
#else
    if
    :: drained[n % RING] == n -> skip
    :: else ->
        atomic { seen = drained[n % RING]; drained[n % RING] = n };
        if :: seen != n -> execute(UNITS - 1); last = 1 :: else -> skip fi
    fi
#endif
}

proctype member(byte me)
{
    byte n = 0, i, a, b, seen;
    bit opened, busy, got, last;
    do
    :: n == N -> break
    :: else ->
        at[me] = n;
#if BUG != 7
        /* all have left the construct that had the slot */
        (n < RING || (at[0] + RING > n && at[1] + RING > n)); /* two members, where there are so many constructs */
#endif
        last = 0;
        loop();
        a = 0; b = 0; i = 0; seen = 0; opened = 0; busy = 0; got = 0; last = 0;
        n++
    od;
    finished++
}

init
{
    byte i = 0;
    atomic {
        if
        :: W = 2; N = 3
        :: W = 3; N = 1
        fi;
        do
        :: i == RING * W -> break
        :: else -> claim[i] = NONE; ready[i] = NONE; lo[i] = NONE; hi[i] = NONE; i++
        od;
        drained[0] = NONE; drained[1] = NONE;
        i = 0;
        do :: i == N -> break :: else -> todo[i] = (1 << UNITS) - 1; i++ od;
        i = 0;
        do :: i == W -> break :: else -> run member(i); i++ od
    };
    (finished == W);
    assert(todo[0] == 0 && todo[1] == 0 && todo[2] == 0)
}
