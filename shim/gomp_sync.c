/* SPDX-License-Identifier: MIT */
/* Ends of worksharing constructs, barrier, critical, single, sections, scope, ordered, doacross, cancellation. Any thread;
 * outside a region it is a team of one, and where nothing need be kept it stays without a record (nothing may be written
 * to tn_thread_none). */
#include <stdarg.h>

#include "barrier.h"
#include "gomp_abi.h"
#include "lock.h"

/* --- Barriers and the ends that contain one --------------------------------------------------------------------------- */

void GOMP_barrier(void)
{
    struct tn_thread *me = tn_self();
    if (tn_unlikely(me == &tn_thread_none))
        return;
    tn_barrier(me);
    tn_ws_barrier_passed(&me->cur->ws);
}
void GOMP_loop_end(void) __attribute__((alias("GOMP_barrier")));
void GOMP_sections_end(void) __attribute__((alias("GOMP_barrier")));

bool GOMP_barrier_cancel(void)
{
    struct tn_thread *me = tn_self();
    if (tn_unlikely(me == &tn_thread_none))
        return false;
    if (tn_unlikely(tn_barrier_cancel(me))) {
        tn_ws_quit(me);
        return true;
    }
    tn_ws_barrier_passed(&me->cur->ws);
    return false;
}
bool GOMP_loop_end_cancel(void) __attribute__((alias("GOMP_barrier_cancel")));
bool GOMP_sections_end_cancel(void) __attribute__((alias("GOMP_barrier_cancel")));

/* A construct is left when the next one is entered: loop.h. */
void GOMP_loop_end_nowait(void)
{
}
void GOMP_sections_end_nowait(void) __attribute__((alias("GOMP_loop_end_nowait")));

void GOMP_workshare_task_reduction_unregister(tn_bool_arg cancelled)
{
    tn_task_reduction_ws_end(tn_self());
    if (!tn_bool(cancelled))
        GOMP_barrier();
}

/* --- Locks of the compiler -------------------------------------------------------------------------------------------- */

void GOMP_critical_start(void)
{
    tn_lock_acquire(&tn_lock_critical.lock);
}

void GOMP_critical_end(void)
{
    tn_lock_release(&tn_lock_critical.lock);
}

void GOMP_atomic_start(void)
{
    tn_lock_acquire(&tn_lock_atomic.lock);
}

void GOMP_atomic_end(void)
{
    tn_lock_release(&tn_lock_atomic.lock);
}

/* The word that the program reserves for a named critical is the lock. */
_Static_assert(sizeof(struct tn_lock) <= sizeof(void *), "a named critical has room for a pointer");

void GOMP_critical_name_start(void **lock)
{
    tn_lock_acquire((struct tn_lock *)lock);
}

void GOMP_critical_name_end(void **lock)
{
    tn_lock_release((struct tn_lock *)lock);
}

/* --- Single, sections, scope ------------------------------------------------------------------------------------------ */

bool GOMP_single_start(void)
{
    return tn_ws_single(tn_self());
}

void *GOMP_single_copy_start(void)
{
    return tn_ws_single_copy(tn_self());
}

void GOMP_single_copy_end(void *data)
{
    tn_ws_single_copy_end(tn_self(), data);
}

unsigned GOMP_sections_next(void)
{
    struct tn_member *m = tn_self()->cur;
    uint64_t lo, hi;
    if (tn_ws_take_fast(&m->ws, &m->team->ws.cancelled, &lo) || tn_ws_take_slow(m, &lo, &hi))
        return (unsigned)lo + 1;
    return 0;
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem)
{
    tn_ws_sections_start(tn_self_attach(), count, reductions, mem);
    return GOMP_sections_next();
}

unsigned GOMP_sections_start(unsigned count)
{
    return GOMP_sections2_start(count, NULL, NULL);
}

void GOMP_scope_start(uintptr_t *reductions)
{
    tn_ws_scope_start(tn_self_attach(), reductions);
}

/* --- Ordered and doacross --------------------------------------------------------------------------------------------- */

void GOMP_ordered_start(void)
{
    tn_ws_ordered_start(tn_self());
}

void GOMP_ordered_end(void)
{
    tn_ws_ordered_end(tn_self());
}

_Static_assert(sizeof(long) == sizeof(uint64_t) && sizeof(tn_ull) == sizeof(uint64_t),
               "iteration numbers of both types are read as 64 bits");

void GOMP_doacross_post(long *at)
{
    tn_doacross_post(tn_self(), (const uint64_t *)at);
}

void GOMP_doacross_ull_post(tn_ull *at)
{
    tn_doacross_post(tn_self(), (const uint64_t *)at);
}

/* One argument of type `type` for each loop of the nest, `first` among them. */
#define WAIT(type, first)                                           \
    do {                                                            \
        struct tn_thread *me = tn_self();                           \
        unsigned dims = me->cur->ws.dims;                           \
        if (dims == 0)                                              \
            return;                                                 \
        uint64_t at[dims];                                          \
        va_list ap;                                                 \
        va_start(ap, first);                                        \
        at[0] = (uint64_t)first;                                    \
        for (unsigned i = 1; i < dims; i++)                         \
            at[i] = (uint64_t)va_arg(ap, type);                     \
        va_end(ap);                                                 \
        tn_doacross_wait(me, at);                                   \
    } while (0)

void GOMP_doacross_wait(long first, ...)
{
    WAIT(long, first);
}

void GOMP_doacross_ull_wait(tn_ull first, ...)
{
    WAIT(tn_ull, first);
}

/* --- Cancellation ----------------------------------------------------------------------------------------------------- */

bool GOMP_cancellation_point(int which)
{
    return tn_cancelled(tn_self(), which);
}

bool GOMP_cancel(int which, tn_bool_arg do_cancel)
{
    return tn_bool(do_cancel) ? tn_cancel(tn_self_attach(), which) : tn_cancelled(tn_self(), which);
}
