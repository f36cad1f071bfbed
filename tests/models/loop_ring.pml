/* SPDX-License-Identifier: MIT */
/* Model of the ring of slots (omp_bridge/loop_ordered.c: tn_ws_enter, slot_await, tn_ws_open): members pass the constructs of
 * a region with nowait between them, but for one barrier somewhere. Which constructs need their slot, and where the barrier
 * is, is left open. What a slot holds is the epoch it was filled for. Either two members in two regions, or three in one.
 * Properties: a slot is filled when nobody is in, or has yet to come to, a construct that had it before (assertion); it is
 * filled once, and whoever uses it finds what was meant for him (assertions); nobody waits for ever (end states).
 * BUGS: 6
 *   -DBUG=1  a member may still be in the construct that had the slot
 *   -DBUG=2  the region is not compared: where a member was in the last one counts
 *   -DBUG=3  claimed by a look and a store instead of an exchange
 *   -DBUG=4  published before it is filled
 *   -DBUG=5  having waited, all are taken to have come as far as the member itself
 *   -DBUG=6  a barrier is taken to mean that all have left the construct before it
 */
#ifndef BUG
#define BUG 0
#endif
#define WIDEST 3
#define RING 2
#define N 4         /* constructs of a region */
#define NONE 255
#define EPOCH(n) (seq * 16 + (n))

byte W, regions;
byte at[WIDEST], claim[RING], ready[RING], holds[RING];
bit uses[N];            /* the construct needs its slot */
byte barrier_after, arrived, joined;

inline wait_for_slot(n)
{
    o = 0; oldest = n;
    do
    :: o == W -> break
    :: o == _pid - 1 -> o++
    :: o < W && o != _pid - 1 ->
        atomic { /* two looks in the code; it only comes further */
#if BUG == 1
            (at[o] / 16 == seq && at[o] % 16 + RING >= n);
#elif BUG == 2
            (at[o] % 16 + RING >= n + 1);
#else
            (at[o] / 16 == seq && at[o] % 16 + RING >= n + 1);
#endif
            if :: at[o] % 16 < oldest -> oldest = at[o] % 16 :: else -> skip fi;
            o++
        }
    od;
#if BUG == 5
    safe = n
#else
    safe = oldest
#endif
}

/* Nobody has yet to leave, or to enter, a construct of this region that had the slot. */
inline check_free(n)
{
    d_step {
        o = 0;
        do
        :: o == W -> break
        :: else -> assert(n < RING || (at[o] / 16 == seq && at[o] % 16 + RING > n)); o++
        od;
        o = 0
    }
}

inline fill(s, n)
{
    check_free(n);
    assert(holds[s] != EPOCH(n));
#if BUG == 4
    ready[s] = EPOCH(n);
    holds[s] = EPOCH(n)
#else
    holds[s] = EPOCH(n);
    ready[s] = EPOCH(n)
#endif
}

inline use(s, n)
{
    if
    :: ready[s] == EPOCH(n)
    :: else ->
#if BUG == 3
        seen = claim[s];
        claim[s] = EPOCH(n);
#else
        atomic { seen = claim[s]; claim[s] = EPOCH(n) };
#endif
        if
        :: seen != EPOCH(n) -> fill(s, n)
        :: else -> (ready[s] == EPOCH(n))
        fi
    fi;
    assert(holds[s] == EPOCH(n));
    assert(holds[s] == EPOCH(n)) /* at any time until it enters the next */
}

proctype member()
{
    byte seq = 0, n, safe, oldest, o, seen;
    do
    :: seq == regions -> break
    :: else ->
        n = 0; safe = 0;
        do
        :: n == N -> break
        :: else ->
            at[_pid - 1] = EPOCH(n);
            if
            :: n - safe >= RING -> wait_for_slot(n)
            :: else -> skip
            fi;
            if
            :: uses[n] -> use(n % RING, n)
            :: else -> skip
            fi;
            o = 0; oldest = 0; seen = 0;
            n++;
            if
            :: n == barrier_after ->
                atomic { arrived++ };
                (arrived >= W * (seq + 1));
#if BUG == 6
                safe = n
#else
                safe = n - 1
#endif
            :: else -> skip
            fi
        od;
        atomic { joined++ };
        (joined >= W * (seq + 1));
        seq++
    od
}

init
{
    byte i = 0;
    atomic {
        if
        :: W = 2; regions = 2
        :: W = 3; regions = 1
        fi;
        do
        :: i == N -> break
        :: else -> if :: uses[i] = 0 :: uses[i] = 1 fi; i++
        od;
        i = 0;
        do
        :: i == RING -> break
        :: else -> claim[i] = NONE; ready[i] = NONE; holds[i] = NONE; i++
        od;
        i = 0;
        do
        :: i == W -> break
        :: else -> at[i] = NONE; i++
        od;
        select(barrier_after : 0 .. N - 1);
        i = 0;
        do
        :: i == W -> break
        :: else -> run member(); i++
        od
    }
}
