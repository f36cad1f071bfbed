/* SPDX-License-Identifier: MIT */
/* Model of a region's life (omp_bridge/region.h, worker.c, barrier.c): a releaser hands regions to a worker through its dock
 * and gathers its arrival; either may go to sleep meanwhile, as in park.pml. Stores of `word`, `arrive` and of both `asleep`
 * pass through a store buffer per thread, in order (x86-TSO).
 * Properties: the worker runs each region once, with the fields of that region (assertions); the releaser leaves a region
 * after its body (assertion); nobody sleeps for ever (end states).
 * BUGS: 5
 *   -DBUG=1  the releaser writes `word` before the fields
 *   -DBUG=2  the releaser does not wait for the arrival before it writes the dock again
 *   -DBUG=3  the worker arrives before it has run the body
 *   -DBUG=4  the worker does not look at the releaser's `asleep` after it has arrived
 *   -DBUG=5  the sleeper makes no membarrier
 */
#ifndef BUG
#define BUG 0
#endif
#define REGIONS 3
#define W 0 /* the worker */
#define R 1 /* the releaser */

/* A buffered store: which variable, which value. One FIFO for each thread. */
mtype = { WORD, FN, ARRIVE, ASLEEP };
chan buf[2] = [3] of { mtype, byte };

byte word = 0, fn = 0, arrive = 0;  /* memory */
byte asleep[2];
byte ran = 0;                       /* ghost: bodies run */

inline apply(who, what, value)
{
    if
    :: what == WORD -> word = value
    :: what == FN -> fn = value
    :: what == ARRIVE -> arrive = value
    :: what == ASLEEP -> asleep[who] = value
    fi
}

/* One entry, or all of a thread's: what a fence, an atomic exchange or a system call does. */
inline drain(who)
{
    do
    :: nempty(buf[who]) -> buf[who] ? a_, v_; apply(who, a_, v_)
    :: empty(buf[who]) -> break
    od
}

active proctype processors()
{
    mtype a_; byte v_;
end:
    do
    :: atomic { nempty(buf[W]) -> buf[W] ? a_, v_; apply(W, a_, v_) }
    :: atomic { nempty(buf[R]) -> buf[R] ? a_, v_; apply(R, a_, v_) }
    od
}

/* tn_wait_until: poll, or sleep with the second look between membarrier and futex. */
#if BUG == 5
#define MEMBARRIER skip
#else
#define MEMBARRIER atomic { drain(W); drain(R) }
#endif
#define AWAIT(who, cond) \
    do \
    :: (cond) -> break \
    :: !(cond) -> \
        buf[who] ! ASLEEP, 1; \
        MEMBARRIER; \
        if \
        :: (cond) -> skip \
        :: !(cond) -> atomic { drain(who) }; (asleep[who] == 0) \
        fi; \
        atomic { drain(who); asleep[who] = 0 } \
    od

/* tn_unpark: no fence, a look; the wake itself is an exchange. */
#define UNPARK(me_, who) if :: asleep[who] == 1 -> atomic { drain(me_); asleep[who] = 0 } :: asleep[who] == 0 -> skip fi

active proctype worker()
{
    mtype a_; byte v_;
    byte seen = 0, what;
    do
    :: seen == REGIONS -> break
    :: seen < REGIONS ->
        AWAIT(W, word != seen);
        assert(word == seen + 1);
        seen = word;
        what = fn;
        assert(what == seen);
#if BUG == 3
        buf[W] ! ARRIVE, seen;
        ran++;
#else
        ran++;
        buf[W] ! ARRIVE, seen;
#endif
#if BUG != 4
        UNPARK(W, R)
#endif
    od
}

active proctype releaser()
{
    mtype a_; byte v_;
    byte n = 1;
    do
    :: n > REGIONS -> break
    :: n <= REGIONS ->
#if BUG == 1
        buf[R] ! WORD, n;
        buf[R] ! FN, n;
#else
        buf[R] ! FN, n;
        buf[R] ! WORD, n;
#endif
        UNPARK(R, W);
#if BUG != 2
        AWAIT(R, arrive == n);
        assert(ran == n);
#endif
        n++
    od
}
