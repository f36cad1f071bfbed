/* SPDX-License-Identifier: MIT */
/* Model of the exchange barrier with deferred tasks (omp_bridge/barrier.c, task_sched.c): a member may create a task in a
 * phase, which marks the phase (`tasking`); once it has seen all arrivals it drains if the phase is marked: runs what there
 * is, which may create one task more, and says `drained` when as many are finished as were created.
 * Properties: no member passes barrier k with a task of phase k incomplete (assertion); nobody waits for ever (end states).
 * BUGS: 4
 *   -DBUG=1  the phase is marked after the creator's arrival
 *   -DBUG=2  created tasks are counted before finished ones
 *   -DBUG=3  a task is counted finished before its child is counted created
 *   -DBUG=4  who finds nothing to run takes the phase for drained
 */
#ifndef BUG
#define BUG 0
#endif
#define W 2
#define PHASES 2

byte arrive[W];
byte tasking = 0, drained = 0;
byte queue[PHASES + 1];          /* tasks to be had, by the phase they are of; any member takes any */
bit children = 0;                /* a task taken creates one more, once */
byte created[W], finished[W];
byte incomplete[PHASES + 1];     /* ghost */

#define SOME (queue[1] + queue[2] > 0)

inline create(i, p) { created[i] = created[i] + 1; queue[p] = queue[p] + 1 }

/* If there is one still: */
inline run_one(i)
{
    atomic {
        child = 0; p = 0;
        if
        :: queue[1] > 0 -> p = 1
        :: queue[1] == 0 && queue[2] > 0 -> p = 2
        :: else -> skip
        fi;
        if :: p > 0 -> queue[p] = queue[p] - 1; child = children; children = 0; incomplete[p] = incomplete[p] + child
        :: else -> skip
        fi
    };
    if
    :: p > 0 ->
#if BUG == 3
        finished[i] = finished[i] + 1;
        if :: child -> create(i, p) :: else -> skip fi;
        incomplete[p] = incomplete[p] - 1
#else
        if :: child -> create(i, p) :: else -> skip fi;
        atomic { incomplete[p] = incomplete[p] - 1; finished[i] = finished[i] + 1 }
#endif
    :: else -> skip
    fi;
    p = 0
}

#define COUNT(all, each) all = each[0]; all = all + each[1]
#define QUIESCENT (created[0] + created[1] == finished[0] + finished[1])

inline drain(i, k)
{
    do
    :: drained == k -> break
    :: drained != k && SOME -> run_one(i)
    :: drained != k && !SOME ->
#if BUG == 4
        drained = k
#else
#if BUG == 2
        COUNT(c, created); COUNT(f, finished);
#else
        COUNT(f, finished); COUNT(c, created);
#endif
        if
        :: f == c -> drained = k
        :: else -> (SOME || drained == k || QUIESCENT) /* asleep: park.pml, task_drain.pml */
        fi
#endif
    od
}

active [W] proctype member()
{
    byte k = 1, f = 0, c = 0, p = 0;
    bit child = 0, mark = 0;
    do
    :: k > PHASES -> break
    :: k <= PHASES ->
        if
        :: true ->
            if :: children = 1 :: skip fi;
            mark = 1;
#if BUG != 1
            tasking = k;
#endif
            incomplete[k] = incomplete[k] + 1;
            create(_pid, k)
        :: true -> skip
        fi;
        arrive[_pid] = k;
#if BUG == 1
        if :: mark -> tasking = k :: else -> skip fi;
#endif
        mark = 0;
        do
        :: arrive[1 - _pid] >= k -> break
        :: arrive[1 - _pid] < k && SOME -> run_one(_pid)
        od;
        if :: tasking == k -> drain(_pid, k) :: else -> skip fi;
        assert(incomplete[k] == 0);
        k++
    od
}
