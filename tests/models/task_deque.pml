/* SPDX-License-Identifier: MIT */
/* Model of omp_bridge/task_deque.h: an owner that pushes and pops, two thieves. The owner's stores to `bottom` pass through
 * a store buffer of one entry (x86-TSO); the sequentially consistent one of pop drains it.
 * Properties: no entry is taken twice (assertion), none is lost (assertion at the end).
 * BUGS: 3
 *   -DBUG=1  pop's store of bottom may still be in the buffer when it reads top
 *   -DBUG=2  the last entry is taken without moving top
 *   -DBUG=3  a thief reads bottom before top
 */
#ifndef BUG
#define BUG 0
#endif
#define N 3

byte top = 0, bottom = 0, buffer = 255; /* 255: empty */
byte taken[N + 1];
byte left = N;      /* ghost: entries nobody has taken */
bit finished = 0;
byte gone = 0;      /* ghost */

inline drain() { if :: buffer != 255 -> bottom = buffer; buffer = 255 :: else -> skip fi }
inline take(i) { atomic { assert(taken[i] == 0); taken[i] = 1; left-- } }

active proctype buffers()
{
end:
    do
    :: atomic { buffer != 255 -> drain() }
    od
}

active proctype owner()
{
    byte b = 0, t, pushed = 0;
    do
    :: pushed < N -> /* entry at index b is not taken: each index is pushed once, or again after a pop */
        atomic { pushed++; taken[b] = 0; drain(); buffer = b + 1 }
        b++
    :: b > 0 ->
        b--;
#if BUG == 1
        atomic { drain(); buffer = b };
#else
        atomic { drain(); bottom = b };                        /* a */
#endif
        t = top;                                               /* b */
        if
        :: t < b -> take(b)
        :: t == b ->
#if BUG == 2
            take(b);
#else
            atomic {
                drain(); /* the exchange */
                if :: top == t -> top = t + 1; take(b) :: else -> skip fi
            }
#endif
            atomic { drain(); buffer = b + 1 };
            b++
        :: t > b ->
            atomic { drain(); buffer = b + 1 };
            b++
        fi
    :: pushed == N -> break
    od;
    finished = 1;
    gone++
}

active [2] proctype thief()
{
    byte t, b;
    do
    :: finished && top >= bottom && buffer == 255 -> break
    :: true ->
#if BUG == 3
        b = bottom; t = top;
#else
        t = top;                                               /* c */
        b = bottom;                                            /* d */
#endif
        if
        :: t < b ->
            atomic { if :: top == t -> top = t + 1; take(t) :: else -> skip fi }
        :: else -> skip
        fi
    od;
    gone++
}

active proctype judge()
{
    (gone == 3);
    assert(left == 0)
}
