/* SPDX-License-Identifier: MIT */
/* Model of omp_bridge/share.h: the owner enters regions with two plain stores (buffered, as on x86), a taker takes the crew
 * when it is idle. Property: owner and taker never use the crew at the same time; nobody waits for ever.
 * BUGS: 2
 *   -DBUG=1  the taker leaves the membarrier out
 *   -DBUG=2  the owner looks at the generation before it says in_use
 */
#ifndef BUG
#define BUG 0
#endif
#define REGIONS 3

bit in_use = 0, lock = 0;
byte buf = 255;        /* owner's store buffer for in_use, 255: empty */
byte gen = 0, owner_is = 0, users = 0;

inline drain() { if :: buf != 255 -> in_use = buf; buf = 255 :: else -> skip fi }
inline take_lock() { atomic { lock == 0 -> lock = 1 } }

active proctype drains() { end: do :: atomic { buf != 255 -> drain() } od }

inline body() { users++; assert(users == 1); users-- }

active proctype owner()
{
    byte n = 0, hit_gen = 0;
    bit same;
    do
    :: n == REGIONS -> break
    :: else ->
#if BUG == 2
        same = (gen == hit_gen);
#endif
        atomic { drain(); buf = 1 };                    /* a */
#if BUG != 2
        same = (gen == hit_gen);                        /* b */
#endif
        if
        :: same -> body(); atomic { drain(); buf = 0 }
        :: else ->
            atomic { drain() };                         /* taking a lock drains */
            take_lock();
            hit_gen = gen;
            if
            :: owner_is == 0 -> lock = 0; body(); atomic { drain(); buf = 0 }
            :: else -> lock = 0; break                  /* builds another crew: not this one's business */
            fi
        fi;
        n++
    od
}

active proctype taker()
{
    take_lock();
    if
    :: in_use == 1 -> lock = 0
    :: else ->
        gen++;                                          /* c */
#if BUG != 1
        atomic { drain() };                             /* d */
#endif
        if
        :: in_use == 1 -> lock = 0                      /* e */
        :: else -> owner_is = 1; lock = 0; body()       /* f */
        fi
    fi
}
