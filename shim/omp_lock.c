/* SPDX-License-Identifier: MIT */
/* The locks of the user API on tn_lock. Any thread. Each routine exists twice: OMP_3.0, where a nestable lock belongs to the
 * task, and OMP_1.0 (programs of GCC before 4.4), where it belongs to the thread and has 8 bytes. A simple lock knows no
 * owner, so both versions of it are one body. All-zero bytes are an initialised, free lock.
 *
 * Invariant: `owner` and `count` are written by the holder alone; another thread that reads `owner` sees somebody else. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "export.h"
#include "lock.h"
#include "msg.h"
#include "thread.h"

/* omp_nest_lock_t of OMP_3.0, 16 bytes. */
struct nest {
    struct tn_lock lock;
    int count;
    _Atomic(void *) owner; /* task */
};
_Static_assert(sizeof(struct tn_lock) == 4 && sizeof(struct nest) == 16, "omp.h fixes these sizes");

/* The same of OMP_1.0, 8 bytes: the thread id (22 bits, the kernel's limit) and the count share a word. */
struct nest_old {
    struct tn_lock lock;
    _Atomic uint32_t owner_count;
};
#define OLD_COUNT_BITS 10
#define OLD_COUNT_MAX ((1u << OLD_COUNT_BITS) - 1)

/* Each routine as C and Fortran export it, at both versions. What is not static has default visibility and a tn_ name:
 * symbols.map hides that name and leaves the versioned ones. */
#define BODY TN_EXPORT __attribute__((used))
#define BOTH(body, name)                            \
    TN_SYMVER(body, name, "@@", "OMP_3.0");         \
    TN_SYMVER(body, name, "@", "OMP_1.0");          \
    TN_SYMVER(body, name##_, "@@", "OMP_3.0");      \
    TN_SYMVER(body, name##_, "@", "OMP_1.0")

/* --- Simple locks -------------------------------------------------------------------------------------------------- */

#define SIMPLE(type, name, ...)                           \
    BODY type tn_omp_##name(struct tn_lock *lock);        \
    BODY type tn_omp_##name(struct tn_lock *lock) { __VA_ARGS__; } \
    BOTH(tn_omp_##name, omp_##name)

SIMPLE(void, init_lock, *lock = (struct tn_lock){0});
SIMPLE(void, destroy_lock, (void)lock);
SIMPLE(void, set_lock, tn_lock_acquire(lock));
SIMPLE(void, unset_lock, tn_lock_release(lock));
SIMPLE(int, test_lock, return tn_lock_try(lock));

/* --- Nestable locks, owned by the task ----------------------------------------------------------------------------- */

static void nest_init(struct nest *n)
{
    *n = (struct nest){.count = 0};
}

static void nest_destroy(struct nest *n)
{
    (void)n;
}

/* How often it is held now, 0: not by us. */
static int nest_enter(struct nest *n, bool wait)
{
    void *me = tn_self_attach()->task; /* with a record: without one all threads would be one task */
    if (tn_load(&n->owner) != me) {
        if (!wait && !tn_lock_try(&n->lock))
            return 0;
        if (wait)
            tn_lock_acquire(&n->lock);
        tn_store(&n->owner, me);
    }
    return ++n->count;
}

static void nest_set(struct nest *n) { nest_enter(n, true); }
static int nest_test(struct nest *n) { return nest_enter(n, false); }

static void nest_unset(struct nest *n)
{
    if (--n->count == 0) {
        tn_store(&n->owner, NULL);
        tn_lock_release(&n->lock);
    }
}

/* --- Nestable locks, owned by the thread --------------------------------------------------------------------------- */

static void old_init(struct nest_old *n)
{
    *n = (struct nest_old){.owner_count = 0};
}

static void old_destroy(struct nest_old *n)
{
    (void)n;
}

static int old_enter(struct nest_old *n, bool wait)
{
    uint32_t me = (uint32_t)syscall(SYS_gettid), held = tn_load(&n->owner_count);
    if (held >> OLD_COUNT_BITS != me) {
        if (!wait && !tn_lock_try(&n->lock))
            return 0;
        if (wait)
            tn_lock_acquire(&n->lock);
        held = me << OLD_COUNT_BITS;
    } else if ((held & OLD_COUNT_MAX) == OLD_COUNT_MAX) {
        tn_fatal("a nestable lock of an old program is held more than %u times", OLD_COUNT_MAX);
    }
    tn_store(&n->owner_count, held + 1);
    return (int)((held + 1) & OLD_COUNT_MAX);
}

static void old_set(struct nest_old *n) { old_enter(n, true); }
static int old_test(struct nest_old *n) { return old_enter(n, false); }

static void old_unset(struct nest_old *n)
{
    uint32_t held = tn_load(&n->owner_count) - 1;
    bool last = (held & OLD_COUNT_MAX) == 0;
    tn_store(&n->owner_count, last ? 0 : held);
    if (last)
        tn_lock_release(&n->lock);
}

/* --- Their names --------------------------------------------------------------------------------------------------- */

/* Fortran's nest lock is an integer of 8 bytes: the old lock fits into it, the new one is behind a pointer in it. */
static void fortran_init(struct nest **n)
{
    *n = calloc(1, sizeof **n);
    if (!*n)
        tn_fatal("out of memory for a nestable lock");
}

static void fortran_destroy(struct nest **n)
{
    free(*n);
    *n = NULL;
}

static void fortran_set(struct nest **n) { nest_set(*n); }
static void fortran_unset(struct nest **n) { nest_unset(*n); }
static int fortran_test(struct nest **n) { return nest_test(*n); }

#define VERSION(type, name, verb, param, call, tag, at, node)        \
    BODY type tn_omp_##verb##_##tag(param);                          \
    BODY type tn_omp_##verb##_##tag(param) { return call(n); }       \
    TN_SYMVER(tn_omp_##verb##_##tag, name, at, node)
#define NEST(type, verb)                                                                                       \
    VERSION(type, omp_##verb##_nest_lock, verb, struct nest *n, nest_##verb, c30, "@@", "OMP_3.0");            \
    VERSION(type, omp_##verb##_nest_lock_, verb, struct nest **n, fortran_##verb, f30, "@@", "OMP_3.0");       \
    VERSION(type, omp_##verb##_nest_lock, verb, struct nest_old *n, old_##verb, c10, "@", "OMP_1.0");          \
    VERSION(type, omp_##verb##_nest_lock_, verb, struct nest_old *n, old_##verb, f10, "@", "OMP_1.0")

NEST(void, init);
NEST(void, destroy);
NEST(void, set);
NEST(void, unset);
NEST(int, test);
