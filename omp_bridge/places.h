/* SPDX-License-Identifier: MIT */
/* Places, and which CPUs each thread may run on. Two regimes:
 *   bound:   with places and a policy (bind-var not false) a team's members are assigned places, computed once per team,
 *            policy and place partition (OpenMP 5.1, 2.6.2). A thread is bound again only where its place changes.
 *   unbound: a worker runs where a thread that its calling thread made now would run (DESIGN, "Affinity rebroadcast").
 * The list of places is fixed before the first region. Of a crew, only its owner calls the functions that take one.
 *
 * Generations: tn_gen moves on when somebody sets a mask; then the owner's next region looks (tn_affinity_prepare,
 * `doubtful`). crew->mask_gen names the contents of crew->mask, whatever the crew (1: the set the process was given);
 * thread->mask_gen is the last one a worker applied or was born with, 0: unknown. */
#ifndef TN_PLACES_H
#define TN_PLACES_H

#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include "base.h"

union tn_set;
struct tn_thread;
struct tn_team;
struct tn_crew;
struct tn_member;

/* --- The list of places ------------------------------------------------------------------------------------------- */
extern unsigned tn_places_len; /* 0: none */
const cpu_set_t *tn_place_set(unsigned place); /* tn_topo_set_size() bytes */
/* Adds a copy of `set`. Before the first region. */
void tn_places_add(const cpu_set_t *set);
void tn_places_clear(void);

/* --- Assignment --------------------------------------------------------------------------------------------------- */
struct tn_place_slot {
    int place;
    unsigned part_off, part_len; /* place partition of the implicit task */
};
/* Place of member `i` of `width` for a parent thread on `place` with the partition [off, off + len). Pure. */
struct tn_place_slot tn_places_assign(unsigned i, unsigned width, unsigned bind, unsigned place, unsigned off, unsigned len);

/* --- What the core calls ------------------------------------------------------------------------------------------ */
/* A fresh record of a thread of the program: the whole list is its partition. */
void tn_places_attach(struct tn_thread *me);
/* `crew` came from the cache or got new workers. */
void tn_affinity_crew_taken(struct tn_crew *crew, struct tn_thread *owner);
void tn_affinity_crew_free(struct tn_crew *crew);
/* Before a region whose team was decided anew: places of its members, thread 0 bound, the crew's set looked at (if
 * `doubtful`: tn_gen has moved since). True: the members must call tn_affinity_apply. */
bool tn_affinity_prepare(struct tn_thread *me, struct tn_team *team, unsigned bind, bool doubtful);
/* OMP_DISPLAY_AFFINITY: writes the line of thread `t` serving as `m`. Set by shim/, NULL: nothing is written. */
extern void (*tn_affinity_show)(const struct tn_member *m, const struct tn_thread *t);
/* The set that another thread, a worker and unbound, has in a region as `m`: it may be about to sleep under another one (steer.h).
 * NULL: the calling thread, a set of its own, or no worker; the kernel tells. By member 0 before the region. */
const cpu_set_t *tn_affinity_crew_set(const struct tn_member *m, const struct tn_thread *t);
/* A worker, before it runs as `m`: its place, or its crew's set. */
void tn_affinity_apply(struct tn_thread *worker, struct tn_member *m);
/* A worker has slept: somebody outside the process may have set its mask meanwhile. */
void tn_affinity_woke(struct tn_thread *worker);
/* The same by the thread that released it, while the worker is on its way: its mask is put back (steer.h). `look`: masks are compared
 * too, which the worker then need not; not with a broadcast in the dock. */
void tn_affinity_waking(struct tn_thread *me, struct tn_thread *worker, bool look);
/* Child of fork: the one thread gets back the set it had before we bound it. */
void tn_affinity_fork_child(void);

/* --- What the shim calls ------------------------------------------------------------------------------------------ */
/* The program has set the mask of a thread: of `tid` (0: the calling one), or of `thread` if that is not NULL. */
void tn_affinity_program_set(pid_t tid, const pthread_t *thread);
/* The calling thread is about to become or to make another program: give it the set it would have had we bound nobody, if
 * it is still bound as we did it. True: it was, and tn_affinity_rebind(was) undoes that. Changes no memory but *was (a child
 * of vfork shares its parent's). */
bool tn_affinity_unbind(union tn_set *was);
void tn_affinity_rebind(const union tn_set *was);

#endif
