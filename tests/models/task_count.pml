/* SPDX-License-Identifier: MIT */
/* Model of a task's count of children (omp_bridge/task.h, task.c): the parent counts creations less ends on its own thread in
 * `children`, others count ends in `remote`; it may wait for all, and when its body ends it leaves -left in `remote`.
 * Properties: the wait ends only when all children have ended, and always then (end states); the record is
 * freed once, by the last, and not touched afterwards (assertions).
 * BUGS: 3
 *   -DBUG=1  the parent frees by the count it read before the exchange
 *   -DBUG=2  ends on the own thread are counted in `children` after the body has ended, too
 *   -DBUG=3  a child reads the parent's thread after it has counted itself
 */
#ifndef BUG
#define BUG 0
#endif
#define REMOTE 2

int remote = 0, children = 0;
bit owned = 1, freed = 0, wait_first, own;
byte ended = 0, gone = 0; /* ghosts */

#define USE assert(!freed)

inline last(old) { if :: old == -1 -> USE; freed = 1 :: else -> skip fi }

/* Children that others run. */
active [REMOTE] proctype other()
{
    int old;
    (children > 0 || !owned); /* created */
    atomic { ended++; USE; old = remote; remote++ };
#if BUG == 3
    if :: old != -1 -> USE :: else -> skip fi;
#endif
    last(old);
    gone++
}

active proctype parent()
{
    int old, all;
    if :: wait_first = 1 :: wait_first = 0 fi;
    if :: own = 1 :: own = 0 fi; /* a child that ends on this thread: before the wait, or after the body */
    children = REMOTE + own;
    if
    :: wait_first ->
        if :: own -> atomic { ended++; USE; children-- } :: else -> skip fi;
        (children == remote);
        assert(ended == REMOTE + own)
    :: else -> skip
    fi;
    all = children;
    atomic { owned = 0; old = remote };
#if BUG == 1
    remote = remote - all;
    if :: old == all -> USE; freed = 1 :: else -> skip fi;
#else
    atomic { old = remote; remote = remote - all };
    if :: old == all -> USE; freed = 1 :: else -> skip fi;
#endif
    if
    :: own && !wait_first ->
#if BUG == 2
        atomic { ended++; USE; children-- }
#else
        atomic { ended++; USE; old = remote; remote++ };
        last(old)
#endif
    :: else -> skip
    fi;
    gone++
}

active proctype judge()
{
    (gone == REMOTE + 1);
    assert(freed && ended == REMOTE + own)
}
