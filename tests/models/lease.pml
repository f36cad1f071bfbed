/* SPDX-License-Identifier: MIT */
/* Model of a session's lease (omp_bridge/session.c, park.c). A docked worker looks at pause and lease each time it looks at
 * the clock, and sleeps when it has idled for longer. The owner opens (stores the lease, then wakes the worker if it sleeps),
 * runs regions, pauses (a flag that the next region clears before it releases), closes (takes the lease back).
 * Each look is a tick of the clock; the lease is one without end, so that a worker that holds it never sleeps.
 * Properties: a worker that looks while the lease is promised does not go to sleep (assertion); one that slept when a session
 * was opened is awake then (assertion); a pause, and the end of the session, let it sleep (end states: it is waited for);
 * regions reach a worker that sleeps (end states).
 * Not promised: a worker that had made up its mind when the session was opened may sleep once; the next region wakes it.
 * BUGS: 4
 *   -DBUG=1  open leaves a sleeping worker asleep
 *   -DBUG=2  the next region does not end the pause
 *   -DBUG=3  close leaves the lease standing
 *   -DBUG=4  the worker goes by the lease it saw when it docked
 */
#ifndef BUG
#define BUG 0
#endif
#define OPS 6
#define ORDINARY 1 /* ticks a worker stays awake without a lease */
#define ENDLESS 9
#define LATE 3     /* the clock stops here: later looks see nothing new */

byte lease = ORDINARY, word = 0, done = 0;
bit paused = 0, asleep = 0;
bit promised = 0;  /* ghost */

#if BUG == 4
#define BUDGET (paused -> 0 : docked)
#else
#define BUDGET (paused -> 0 : lease)
#endif

active proctype worker()
{
    byte seen = 0, idle = 0, docked = ORDINARY;
    bit early;
end:
    do
    :: word != seen ->
        seen = word;
        done = seen;
        idle = 0;
        docked = lease
    :: atomic { word == seen && (idle < LATE || idle > BUDGET) -> /* a look at the clock */
           idle = (idle < LATE -> idle + 1 : LATE);
           if
           :: idle <= BUDGET -> early = 0
           :: else -> assert(!promised); early = 1
           fi
       }
       if
       :: early ->
           asleep = 1;
           if
           :: word != seen -> skip
           :: word == seen ->
endasleep:     (asleep == 0)
           fi;
           asleep = 0;
           idle = 0
       :: else -> skip
       fi
    od
}

active proctype owner()
{
    byte n = 0;
    bit open = 0, was;
    do
    :: n == OPS -> break
    :: n < OPS && !open ->
        paused = 0; /* it decides anew, as a region does */
        lease = ENDLESS;
#if BUG == 1
        assert(!asleep || done != word);
#else
        atomic { was = asleep; asleep = 0 };
        assert(!was || !asleep);
#endif
        atomic { open = 1; promised = !paused };
        n++
    :: n < OPS && open ->
        promised = 0;
#if BUG != 3
        lease = ORDINARY;
#endif
        open = 0;
        n++
    :: n < OPS && open ->
        promised = 0;
        paused = 1;
        (asleep);
        n++
    :: n < OPS ->
#if BUG != 2
        paused = 0;
#endif
        word = word + 1;
        atomic { asleep = 0 };
        (done == word);
        promised = open;
        n++
    od;
    promised = 0;
#if BUG != 3
    lease = ORDINARY;
#endif
    (asleep)
}
