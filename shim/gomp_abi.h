/* SPDX-License-Identifier: MIT */
/* The names that GCC's OpenMP code calls, as GCC 4.2 to 16 call them, but for target and memory (target_abi.h,
 * omp_abi.h). `long` loops have values of any signed type, `ull` loops of unsigned types and of pointers, `up` telling the
 * direction. A start or next routine returns false when the calling thread gets no iterations, or no more. */
#ifndef TN_GOMP_ABI_H
#define TN_GOMP_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long tn_ull;

/* A bool parameter as GCC passes it: the low 8 bits say it, the rest of the register is anything. A parameter declared bool is taken
 * by Clang for extended to 32 bits. Read it by tn_bool. */
typedef unsigned tn_bool_arg;
static inline bool tn_bool(tn_bool_arg a) { return (a & 0xff) != 0; }

/* Last argument of GOMP_parallel and its kin: the proc_bind clause in three bits, 0: none. */
enum { GOMP_PARALLEL_BIND_MASK = 7 };

/* `sched` of GOMP_loop_start and its kin (GCC 9). */
enum { GOMP_SCHED_RUNTIME = 0, GOMP_SCHED_STATIC = 1, GOMP_SCHED_DYNAMIC = 2, GOMP_SCHED_GUIDED = 3,
       GOMP_SCHED_NONMONOTONIC_RUNTIME = 4 };
#define GOMP_SCHED_MONOTONIC (1l << 31)

/* `which` of GOMP_cancel. */
enum { GOMP_CANCEL_PARALLEL = 1, GOMP_CANCEL_LOOP = 2, GOMP_CANCEL_SECTIONS = 4, GOMP_CANCEL_TASKGROUP = 8 };

/* `flags` of GOMP_task, GOMP_taskloop. */
enum { GOMP_TASK_FLAG_UNTIED = 1, GOMP_TASK_FLAG_FINAL = 2, GOMP_TASK_FLAG_MERGEABLE = 4, GOMP_TASK_FLAG_DEPEND = 8,
       GOMP_TASK_FLAG_PRIORITY = 16,                                                             /* GCC 6 */
       GOMP_TASK_FLAG_UP = 256, GOMP_TASK_FLAG_GRAINSIZE = 512, GOMP_TASK_FLAG_IF = 1024,        /* taskloop, GCC 6 */
       GOMP_TASK_FLAG_NOGROUP = 2048,                                                            /* taskloop, GCC 6 */
       GOMP_TASK_FLAG_REDUCTION = 4096,                                                          /* GCC 9 */
       GOMP_TASK_FLAG_DETACH = 8192,                                                             /* GCC 11 */
       GOMP_TASK_FLAG_STRICT = 16384 };                                                          /* GCC 12 */

#pragma GCC visibility push(default)

/* --- gomp_parallel.c --- */
void GOMP_parallel(void (*fn)(void *), void *data, unsigned n, unsigned flags); /* GCC 4.9 */
unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned n, unsigned flags); /* GCC 9 */
void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned n); /* GCC 4.2 to 4.8: with GOMP_parallel_end */
void GOMP_parallel_end(void);
#define GOMP_PARALLEL_LOOP(name)                                                                                        \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned n, long start, long end, long incr,        \
                                   long chunk, unsigned flags)
#define GOMP_PARALLEL_LOOP_RUNTIME(name)                                                                                \
    void GOMP_parallel_loop_##name(void (*fn)(void *), void *data, unsigned n, long start, long end, long incr,        \
                                   unsigned flags)
#define GOMP_PARALLEL_LOOP_START(name)                                                                                  \
    void GOMP_parallel_loop_##name##_start(void (*fn)(void *), void *data, unsigned n, long start, long end,           \
                                           long incr, long chunk)
GOMP_PARALLEL_LOOP(static); /* GCC 4.9 */
GOMP_PARALLEL_LOOP(dynamic);
GOMP_PARALLEL_LOOP(guided);
GOMP_PARALLEL_LOOP_RUNTIME(runtime);
GOMP_PARALLEL_LOOP(nonmonotonic_dynamic); /* GCC 6 */
GOMP_PARALLEL_LOOP(nonmonotonic_guided);
GOMP_PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime); /* GCC 9 */
GOMP_PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime);
GOMP_PARALLEL_LOOP_START(static); /* GCC 4.2 to 4.8: with GOMP_parallel_end */
GOMP_PARALLEL_LOOP_START(dynamic);
GOMP_PARALLEL_LOOP_START(guided);
void GOMP_parallel_loop_runtime_start(void (*fn)(void *), void *data, unsigned n, long start, long end, long incr);
void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned n, unsigned count, unsigned flags); /* GCC 4.9 */
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned n, unsigned count);

/* --- gomp_loop.c: each for `long` (GCC 4.2) and `unsigned long long` (GCC 4.4) ---
 * Monotonic, but for the names that say otherwise. A loop without next calls passes istart NULL (GCC 9, static). */
#define GOMP_LOOP_BOTH(LONG, ULL, name) LONG(name); ULL(name)
#define GOMP_LOOP_START(name) \
    bool GOMP_loop_##name##_start(long start, long end, long incr, long chunk, long *istart, long *iend)
#define GOMP_LOOP_ULL_START(name)                                                                                       \
    bool GOMP_loop_ull_##name##_start(tn_bool_arg up, tn_ull start, tn_ull end, tn_ull incr, tn_ull chunk, tn_ull *istart,    \
                                      tn_ull *iend)
#define GOMP_LOOP_RUNTIME(name) bool GOMP_loop_##name##_start(long start, long end, long incr, long *istart, long *iend)
#define GOMP_LOOP_ULL_RUNTIME(name)                                                                                     \
    bool GOMP_loop_ull_##name##_start(tn_bool_arg up, tn_ull start, tn_ull end, tn_ull incr, tn_ull *istart, tn_ull *iend)
#define GOMP_LOOP_NEXT(name) bool GOMP_loop_##name##_next(long *istart, long *iend)
#define GOMP_LOOP_ULL_NEXT(name) bool GOMP_loop_ull_##name##_next(tn_ull *istart, tn_ull *iend)
/* Iterations counts[0 .. ncounts - 1] of the nest; istart and iend are iteration numbers of the outermost loop. GCC 6 */
#define GOMP_LOOP_DOACROSS(name) \
    bool GOMP_loop_doacross_##name##_start(unsigned ncounts, long *counts, long chunk, long *istart, long *iend)
#define GOMP_LOOP_ULL_DOACROSS(name)                                                                                    \
    bool GOMP_loop_ull_doacross_##name##_start(unsigned ncounts, tn_ull *counts, tn_ull chunk, tn_ull *istart,         \
                                               tn_ull *iend)
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, static);
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, dynamic);
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, guided);
GOMP_LOOP_BOTH(GOMP_LOOP_RUNTIME, GOMP_LOOP_ULL_RUNTIME, runtime);
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, ordered_static);
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, ordered_dynamic);
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, ordered_guided);
GOMP_LOOP_BOTH(GOMP_LOOP_RUNTIME, GOMP_LOOP_ULL_RUNTIME, ordered_runtime);
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, nonmonotonic_dynamic); /* GCC 6 */
GOMP_LOOP_BOTH(GOMP_LOOP_START, GOMP_LOOP_ULL_START, nonmonotonic_guided);
GOMP_LOOP_BOTH(GOMP_LOOP_RUNTIME, GOMP_LOOP_ULL_RUNTIME, nonmonotonic_runtime); /* GCC 9 */
GOMP_LOOP_BOTH(GOMP_LOOP_RUNTIME, GOMP_LOOP_ULL_RUNTIME, maybe_nonmonotonic_runtime);
GOMP_LOOP_BOTH(GOMP_LOOP_DOACROSS, GOMP_LOOP_ULL_DOACROSS, static);
GOMP_LOOP_BOTH(GOMP_LOOP_DOACROSS, GOMP_LOOP_ULL_DOACROSS, dynamic);
GOMP_LOOP_BOTH(GOMP_LOOP_DOACROSS, GOMP_LOOP_ULL_DOACROSS, guided);
bool GOMP_loop_doacross_runtime_start(unsigned ncounts, long *counts, long *istart, long *iend);
bool GOMP_loop_ull_doacross_runtime_start(unsigned ncounts, tn_ull *counts, tn_ull *istart, tn_ull *iend);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, static);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, dynamic);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, guided);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, runtime);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, ordered_static);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, ordered_dynamic);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, ordered_guided);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, ordered_runtime);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, nonmonotonic_dynamic);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, nonmonotonic_guided);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, nonmonotonic_runtime);
GOMP_LOOP_BOTH(GOMP_LOOP_NEXT, GOMP_LOOP_ULL_NEXT, maybe_nonmonotonic_runtime);
/* With task reductions, or memory for scan and lastprivate(conditional): *mem is its size, then its address. GCC 9 */
bool GOMP_loop_start(long start, long end, long incr, long sched, long chunk, long *istart, long *iend,
                     uintptr_t *reductions, void **mem);
bool GOMP_loop_ordered_start(long start, long end, long incr, long sched, long chunk, long *istart, long *iend,
                             uintptr_t *reductions, void **mem);
bool GOMP_loop_doacross_start(unsigned ncounts, long *counts, long sched, long chunk, long *istart, long *iend,
                              uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_start(tn_bool_arg up, tn_ull start, tn_ull end, tn_ull incr, long sched, tn_ull chunk, tn_ull *istart,
                         tn_ull *iend, uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_ordered_start(tn_bool_arg up, tn_ull start, tn_ull end, tn_ull incr, long sched, tn_ull chunk,
                                 tn_ull *istart, tn_ull *iend, uintptr_t *reductions, void **mem);
bool GOMP_loop_ull_doacross_start(unsigned ncounts, tn_ull *counts, long sched, tn_ull chunk, tn_ull *istart,
                                  tn_ull *iend, uintptr_t *reductions, void **mem);

/* --- gomp_sync.c --- */
void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);
bool GOMP_loop_end_cancel(void); /* GCC 4.9. True: the region is cancelled */
void GOMP_barrier(void);
bool GOMP_barrier_cancel(void); /* GCC 4.9 */
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void **lock); /* *lock is NULL at first, and the runtime's */
void GOMP_critical_name_end(void **lock);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
bool GOMP_single_start(void);
void *GOMP_single_copy_start(void);
void GOMP_single_copy_end(void *data);
unsigned GOMP_sections_start(unsigned count); /* sections count from 1, 0: none is left */
unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem); /* GCC 9 */
unsigned GOMP_sections_next(void);
void GOMP_sections_end(void);
void GOMP_sections_end_nowait(void);
bool GOMP_sections_end_cancel(void); /* GCC 4.9 */
void GOMP_scope_start(uintptr_t *reductions); /* GCC 12 */
void GOMP_workshare_task_reduction_unregister(tn_bool_arg cancelled); /* GCC 9 */
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_doacross_post(long *at); /* GCC 6 */
void GOMP_doacross_wait(long first, ...);
void GOMP_doacross_ull_post(tn_ull *at);
void GOMP_doacross_ull_wait(tn_ull first, ...);
bool GOMP_cancel(int which, tn_bool_arg do_cancel); /* GCC 4.9. True: leave the construct */
bool GOMP_cancellation_point(int which);

/* --- gomp_error.c --- */
void GOMP_warning(const char *text, size_t len); /* GCC 12; len -1: up to the zero byte */
void GOMP_error(const char *text, size_t len) __attribute__((noreturn));

/* --- gomp_task.c --- */
void GOMP_task(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align, tn_bool_arg if_clause,
               unsigned flags, void **depend, int priority, void *detach); /* GCC 4.4; depend 4.9, priority 6, detach 11 */
void GOMP_taskwait(void);                        /* GCC 4.4 */
void GOMP_taskyield(void);                       /* GCC 4.7 */
void GOMP_taskgroup_start(void);                 /* GCC 4.9 */
void GOMP_taskgroup_end(void);
void GOMP_taskloop(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align, unsigned flags,
                   unsigned long num_tasks, int priority, long start, long end, long step); /* GCC 6 */
void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long size, long align,
                       unsigned flags, unsigned long num_tasks, int priority, tn_ull start, tn_ull end, tn_ull step);
void GOMP_taskwait_depend(void **depend);        /* GCC 9 */
void GOMP_taskwait_depend_nowait(void **depend); /* GCC 13 */
void GOMP_taskgroup_reduction_register(uintptr_t *data); /* GCC 9 */
void GOMP_taskgroup_reduction_unregister(uintptr_t *data);
void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void **ptrs);

#pragma GCC visibility pop

#endif
