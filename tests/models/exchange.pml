/* SPDX-License-Identifier: MIT */
/* Model of the exchange barrier (omp_bridge/barrier.c) of three members: each publishes the epoch in the slot of its
 * parity and waits until it has seen every partner's. Compared for equality only.
 * Properties: nobody passes barrier k before all have arrived at k (assertion); nobody waits for ever (end states).
 * BUGS: 2
 *   -DBUG=1  one slot instead of two: a fast member overwrites what a slow one has yet to see
 *   -DBUG=2  a member looks at its partners before it publishes
 */
#ifndef BUG
#define BUG 0
#endif
#define W 3
#define ROUNDS 4
#if BUG == 1
#define SLOT(k) 0
#else
#define SLOT(k) ((k) & 1)
#endif

typedef member_t { byte arrive[2] };
member_t m[W];
byte at[W]; /* ghost: barriers arrived at */

active [W] proctype member()
{
    byte k = 1, p;
    do
    :: k > ROUNDS -> break
    :: else ->
#if BUG == 2
        byte seen = m[(_pid + 1) % W].arrive[SLOT(k)];
        atomic { at[_pid] = k; m[_pid].arrive[SLOT(k)] = k };
        if :: seen == k -> skip :: else -> (m[(_pid + 1) % W].arrive[SLOT(k)] == k) && false fi;
#endif
        atomic { at[_pid] = k; m[_pid].arrive[SLOT(k)] = k };
        p = 0;
        do
        :: p == W -> break
        :: p < W ->
            (m[p].arrive[SLOT(k)] == k); /* blocks until it is; equality */
            p++
        od;
        assert(at[0] >= k && at[1] >= k && at[2] >= k);
        k++
    od
}
