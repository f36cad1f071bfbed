/* SPDX-License-Identifier: MIT */
/* Model of the hand-over of workers between crews (omp_bridge/crew.c): a docked worker keeps looking at the team it served
 * last (its `tasking` word) until a release gives it another one. A crew emptied into another goes to that one's attic and
 * is freed at a later slow entry, if the region before it used all adopted workers.
 * Two adopted workers; the owner runs regions of width 2 (worker 1) and 3 (both) in any order, with a slow entry before
 * each. Property: no worker looks at a freed team.
 * BUGS: 2
 *   -DBUG=1  the attic is freed right after the adoption
 *   -DBUG=2  freed at the next slow entry, whatever width ran
 */
#ifndef BUG
#define BUG 0
#endif
#define REGIONS 4

#define OLD 0
#define NEW 1
bool freed_old = false;
byte last_team[3];     /* per worker: the team it looks at */
byte word[3], seen[3]; /* dock words */
byte done[3];

proctype worker(byte i)
{
end:
    do
    :: word[i] != seen[i] -> atomic { seen[i] = word[i]; last_team[i] = NEW }; done[i] = seen[i]
    :: word[i] == seen[i] -> assert(!(last_team[i] == OLD && freed_old)) /* polls tasking */
    od
}

init
{
    byte n = 0, width = 0;
    bool attic = true;
    last_team[1] = OLD; last_team[2] = OLD;
    atomic { run worker(1); run worker(2) };
#if BUG == 1
    freed_old = true;
#endif
    do
    :: n == REGIONS -> break
    :: n < REGIONS ->
        /* slow entry */
#if BUG == 2
        if :: width > 0 && attic -> freed_old = true; attic = false :: else -> skip fi;
#else
        if :: width == 3 && attic -> freed_old = true; attic = false :: else -> skip fi;
#endif
        if :: width = 2 :: width = 3 fi;
        word[1] = word[1] + 1;
        if :: width == 3 -> word[2] = word[2] + 1 :: else -> skip fi;
        (done[1] == word[1]);
        if :: width == 3 -> (done[2] == word[2]) :: else -> skip fi;
        n++
    od
}
