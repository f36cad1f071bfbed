/* SPDX-License-Identifier: MIT */
/* Memory allocators of OpenMP: omp_alloc and its family. Any thread; the only shared state is the `used` count of an
 * allocator with a pool. Every memory space is the C library's heap; memory of a pinned allocator is its own locked mapping.
 *
 * Invariant: each block is preceded by a header that names where it came from, so omp_free needs no allocator. The pool
 * is charged what libgomp charges, so programs that count on a pool's size see the same successes. */
#include "omp_abi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "icv.h"
#include "msg.h"
#include "thread.h"

enum { ALLOC_NULL = 0, ALLOC_DEFAULT = 1, ALLOC_LAST_PREDEFINED = 8 }; /* omp_allocator_handle_t */
enum { SPACE_HIGH_BW = 3, SPACE_LAST = 4 };                           /* omp_memspace_handle_t */
enum { ATK_SYNC_HINT = 1, ATK_ALIGNMENT, ATK_ACCESS, ATK_POOL_SIZE, ATK_FALLBACK, ATK_FB_DATA, ATK_PINNED, ATK_PARTITION };
enum { ATV_FALSE = 0, ATV_TRUE = 1, ATV_CONTENDED = 3, ATV_PRIVATE = 6, ATV_ALL = 7, ATV_CGROUP = 10, ATV_DEFAULT_MEM_FB,
       ATV_NULL_FB, ATV_ABORT_FB, ATV_ALLOCATOR_FB, ATV_ENVIRONMENT, ATV_NEAREST, ATV_BLOCKED, ATV_INTERLEAVED };
#define ATV_DEFAULT UINTPTR_MAX

struct allocator {
    size_t alignment;
    size_t pool;          /* bytes, SIZE_MAX: no limit */
    _Atomic size_t used;  /* of the pool; all threads */
    uintptr_t fallback;   /* ATV_*_FB */
    uintptr_t fb_data;    /* the other allocator */
    bool pinned;
};

/* 32 bytes before the block that the user sees. */
struct header {
    void *base;           /* what to give back */
    size_t size;          /* as charged to the pool */
    struct allocator *from; /* NULL: a predefined one */
    size_t mapped;        /* bytes of a locked mapping, 0: from malloc */
};
_Static_assert(sizeof(struct header) <= 32, "the header is part of what a pool is charged");
#define HEADER 32u

static struct header *header_of(void *ptr) { return (struct header *)((char *)ptr - HEADER); }

static struct allocator *custom(uintptr_t handle)
{
    return handle > ALLOC_LAST_PREDEFINED ? (struct allocator *)handle : NULL; /* NOLINT: handles are addresses */
}

/* --- Allocators --------------------------------------------------------------------------------------------------- */

/* One trait into `a`; false: not a legal pair. */
static bool trait(struct allocator *a, int key, uintptr_t v)
{
    bool def = v == ATV_DEFAULT;
    switch (key) {
    case ATK_SYNC_HINT: /* contended, uncontended, serialized, private: all served by the same heap */
        return def || (v >= ATV_CONTENDED && v <= ATV_PRIVATE);
    case ATK_ALIGNMENT:
        if (!def && (v == 0 || (v & (v - 1))))
            return false;
        a->alignment = def ? 1 : v;
        return true;
    case ATK_ACCESS:
        return def || (v >= ATV_ALL && v <= ATV_CGROUP);
    case ATK_POOL_SIZE:
        a->pool = def ? SIZE_MAX : v;
        return true;
    case ATK_FALLBACK:
        a->fallback = def ? ATV_DEFAULT_MEM_FB : v;
        return def || (v >= ATV_DEFAULT_MEM_FB && v <= ATV_ALLOCATOR_FB);
    case ATK_FB_DATA:
        a->fb_data = v;
        return true;
    case ATK_PINNED:
        a->pinned = v == ATV_TRUE;
        return def || v <= ATV_TRUE;
    case ATK_PARTITION:
        return def || (v >= ATV_ENVIRONMENT && v <= ATV_INTERLEAVED);
    default:
        return false;
    }
}

uintptr_t omp_init_allocator(uintptr_t space, int n, const tn_omp_alloctrait *traits)
{
    struct allocator a = {.alignment = 1, .pool = SIZE_MAX, .fallback = ATV_DEFAULT_MEM_FB};
    if (space > SPACE_LAST || space == SPACE_HIGH_BW) /* there is no high-bandwidth memory we could promise */
        return ALLOC_NULL;
    for (int i = 0; i < n; i++)
        if (!trait(&a, traits[i].key, traits[i].value))
            return ALLOC_NULL;
    if (a.alignment < sizeof(void *))
        a.alignment = sizeof(void *);
    struct allocator *made = malloc(sizeof *made);
    if (!made)
        return ALLOC_NULL;
    memcpy(made, &a, sizeof a);
    return (uintptr_t)made;
}

void omp_destroy_allocator(uintptr_t allocator) { free(custom(allocator)); }

/* def-allocator-var of the task; a block that nobody set falls back to the environment's. */
uintptr_t omp_get_default_allocator(void)
{
    uintptr_t a = tn_icv_read()->allocator;
    if (a == ALLOC_NULL)
        a = tn_global.allocator;
    return a != ALLOC_NULL ? a : ALLOC_DEFAULT;
}

void omp_set_default_allocator(uintptr_t allocator)
{
    tn_icv_write(tn_self_attach())->allocator = allocator != ALLOC_NULL ? allocator : ALLOC_DEFAULT;
}

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

/* Take `size` from the pool, or give it back. */
static bool pool_take(struct allocator *a, size_t size)
{
    if (!a || a->pool == SIZE_MAX)
        return true;
    size_t used = tn_load(&a->used);
    do {
        if (size > a->pool || used > a->pool - size)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&a->used, &used, used + size, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void pool_give(struct allocator *a, size_t size)
{
    if (a && a->pool != SIZE_MAX)
        atomic_fetch_sub_explicit(&a->used, size, memory_order_relaxed);
}

/* Locked pages, or NULL where the limit (RLIMIT_MEMLOCK) does not allow it. They are zero. */
static void *map_pinned(size_t size, size_t *mapped)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - page)
        return NULL;
    *mapped = (size + page - 1) & ~(page - 1);
    void *p = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    if (mlock(p, *mapped) == 0)
        return p;
    munmap(p, *mapped);
    return NULL;
}

/* One try with one allocator; NULL: no memory or the pool is exhausted. */
static void *take(struct allocator *a, size_t align, size_t size, bool zero)
{
    size_t charged, mapped = 0;
    if (__builtin_add_overflow(size, HEADER + (align - sizeof(void *)), &charged) || !pool_take(a, charged))
        return NULL;
    char *base = a && a->pinned ? map_pinned(charged, &mapped) : zero ? calloc(1, charged) : malloc(charged);
    if (!base) {
        pool_give(a, charged);
        return NULL;
    }
    char *ptr = (char *)(((uintptr_t)base + HEADER + align - sizeof(void *)) & ~(uintptr_t)(align - 1));
    *header_of(ptr) = (struct header){.base = base, .size = charged, .from = a, .mapped = mapped};
    return ptr;
}

/* A power of two, a pointer's alignment at least: what is none is rounded up, not refused. */
static size_t round_align(size_t align)
{
    size_t power = sizeof(void *);
    while (power < align && power <= SIZE_MAX / 4)
        power *= 2;
    return power;
}

/* With allocator `handle` and, where it fails, with what its fallback trait names. `fatal`: nothing left stops. */
static void *allocate(size_t align, size_t size, uintptr_t handle, bool zero)
{
    if (tn_unlikely(size == 0))
        return NULL;
    if (handle == ALLOC_NULL)
        handle = omp_get_default_allocator();
    for (;;) {
        struct allocator *a = custom(handle);
        size_t al = round_align(a && a->alignment > align ? a->alignment : align);
        void *p = take(a, al, size, zero);
        if (tn_likely(p != NULL))
            return p;
        if (!a || a->fallback == ATV_NULL_FB)
            return NULL;
        if (a->fallback == ATV_ABORT_FB)
            tn_fatal("out of memory allocating %zu bytes from an allocator whose fallback is abort", size);
        handle = a->fallback == ATV_ALLOCATOR_FB && a->fb_data ? a->fb_data : ALLOC_DEFAULT;
    }
}

void *omp_alloc(size_t size, uintptr_t allocator) { return allocate(1, size, allocator, false); }

void *omp_aligned_alloc(size_t align, size_t size, uintptr_t allocator)
{
    return allocate(align, size, allocator, false);
}

void *omp_aligned_calloc(size_t align, size_t n, size_t size, uintptr_t allocator)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX; /* fails, by way of the allocator's fallback */
    return allocate(align, bytes, allocator, true);
}

void *omp_calloc(size_t n, size_t size, uintptr_t allocator) { return omp_aligned_calloc(1, n, size, allocator); }

void omp_free(void *ptr, uintptr_t allocator)
{
    (void)allocator; /* the header knows better */
    if (!ptr)
        return;
    struct header h = *header_of(ptr);
    pool_give(h.from, h.size);
    if (h.mapped)
        munmap(h.base, h.mapped);
    else
        free(h.base);
}

/* In place where the block is ours, unmapped, of pointer alignment, and stays with its allocator; else a copy. */
static void *resize_in_place(struct header *h, size_t size)
{
    struct allocator *a = h->from;
    size_t charged;
    if (__builtin_add_overflow(size, HEADER, &charged))
        return NULL;
    bool grows = charged > h->size;
    if (grows ? !pool_take(a, charged - h->size) : false)
        return NULL;
    size_t old = h->size;
    char *base = realloc(h->base, charged);
    if (!base) {
        if (grows)
            pool_give(a, charged - old);
        return NULL;
    }
    if (!grows)
        pool_give(a, old - charged);
    h = (struct header *)base;
    h->base = base;
    h->size = charged;
    return base + HEADER;
}

void *omp_realloc(void *ptr, size_t size, uintptr_t allocator, uintptr_t free_allocator)
{
    if (!ptr)
        return allocate(1, size, allocator, false);
    if (size == 0) {
        omp_free(ptr, free_allocator);
        return NULL;
    }
    struct header *h = header_of(ptr);
    if (allocator == ALLOC_NULL)
        allocator = free_allocator != ALLOC_NULL ? free_allocator : (uintptr_t)h->from;
    if (allocator == ALLOC_NULL)
        allocator = omp_get_default_allocator();
    struct allocator *a = custom(allocator);
    bool plain = h->base == (char *)ptr - HEADER && !h->mapped;
    if (plain && a == h->from && (!a || a->alignment <= sizeof(void *))) {
        void *p = resize_in_place(h, size);
        if (p)
            return p;
    }
    size_t had = h->size - (size_t)((char *)ptr - (char *)h->base);
    void *p = allocate(1, size, allocator, false);
    if (!p)
        return NULL;
    memcpy(p, ptr, had < size ? had : size);
    omp_free(ptr, free_allocator);
    return p;
}

/* The allocate clause: it cannot fail. */
void *GOMP_alloc(size_t align, size_t size, uintptr_t allocator)
{
    void *p = allocate(align, size, allocator, false);
    if (!p && size)
        tn_fatal("out of memory allocating %zu bytes for an allocate clause", size);
    return p;
}

void GOMP_free(void *ptr, uintptr_t allocator) { omp_free(ptr, allocator); }
