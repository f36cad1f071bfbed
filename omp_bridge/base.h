/* SPDX-License-Identifier: MIT */
/* Compiler attributes, the cache line, the spin hint and the debug assertion. Included by everything, includes
 * nothing of ours. No state. */
#ifndef TN_BASE_H
#define TN_BASE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TN_LINE 64 /* bytes that move together between processors */

#define tn_likely(x) __builtin_expect(!!(x), 1)
#define tn_unlikely(x) __builtin_expect(!!(x), 0)
#define TN_COLD __attribute__((cold, noinline))
#define TN_INLINE static inline __attribute__((always_inline))
#define TN_UNUSED __attribute__((unused))

/* C11 atomics with their order in the name, so that a plain `=` on a shared field stands out. */
#define tn_load(p) atomic_load_explicit((p), memory_order_relaxed)
#define tn_load_acq(p) atomic_load_explicit((p), memory_order_acquire)
#define tn_store(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define tn_store_rel(p, v) atomic_store_explicit((p), (v), memory_order_release)

TN_INLINE void tn_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory"); /* `yield` is a no-op on most cores; isb waits about as long as pause */
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/* Lines handed from one member to another at release, join and barrier; counted in debug builds (tests/test_shape.c). */
#ifdef TN_DEBUG
extern _Atomic unsigned long tn_lines_moved;
#define tn_count_line() ((void)atomic_fetch_add_explicit(&tn_lines_moved, 1, memory_order_relaxed))
#else
#define tn_count_line() ((void)0)
#endif

#ifdef TN_DEBUG
#define tn_assert(x) ((x) ? (void)0 : __builtin_trap())
#else
#define tn_assert(x) ((void)0)
#endif

#endif
