/* SPDX-License-Identifier: MIT */
/* tenure.h - the public interface of Tenure, an OpenMP runtime that keeps its teams.
 *
 * Link with -ltenure (pkg-config tenure), or look the names up with dlsym in a process in which Tenure is preloaded.
 * C99, C11, C++; Fortran has the module in tenure.f90. All names are exported by libtenure.so at version TENURE_1.0.
 *
 * Conventions. Functions that can fail return 0 or a negative errno value and on failure change nothing. Times are
 * nanoseconds of CLOCK_MONOTONIC. Option structs begin with their own size, so they can grow: zero the struct, set
 * `size`, set what you want; every zero means the default.
 *
 * Pthreads builds of OpenBLAS that offer openblas_set_threads_callback_function run their jobs as regions of the calling
 * thread while any session with workers is open in the process. OpenMP builds keep one width for the whole process:
 * threads that call OpenBLAS at the same time need one width, of sessions or by omp_set_num_threads. With two, OpenBLAS may
 * hand out more jobs than a region has threads and wait for ever (seen in 0.3.21, under libgomp too).
 *
 * Sessions. A session holds one team ready: between regions its members stay awake until the session's lease of idle
 * time is used up (then they sleep; the next region wakes them; nothing is lost). All OpenMP regions that this thread
 * starts at the session's width run on that team: its own, OpenBLAS's, any library's. While it is open,
 * omp_get_max_threads() on this thread says the session's width. Example (also a test, tests/test_session.c):
 *
 *     static void scale(void *arg, int thread, int width)          // runs on every member, thread 0 is the caller
 *     {
 *         struct vec *v = arg;
 *         for (long i = thread; i < v->n; i += width) v->x[i] *= v->a;
 *     }
 *     tenure_session s;
 *     tenure_session_options o = {.size = sizeof o, .width = 4, .lease_ns = 2000000};
 *     if (tenure_session_open(&s, &o) == 0) {
 *         cblas_dgemm(...);                                         // OpenBLAS (OpenMP build): same team
 *         tenure_session_run(s, scale, &v);                         // own code: same team
 *         tenure_session_pause(s);                                  // before I/O: members may sleep now
 *         read_more(&v);
 *         cblas_dgemv(...);
 *         tenure_session_close(s);
 *     }
 *
 * Thread rules. A session belongs to the thread that opened it: every call from another thread is refused with -EPERM.
 * What you pass to be called (fn, a pool's parallel_for) has to return: no exception or longjmp may leave it, as none may leave
 * the body of an OpenMP region. Illegal (and caught): closing more often than opening, use after the last close (-EINVAL). A
 * session that is open when its thread or the process ends is closed. In the child of fork() the parent's sessions answer
 * -ECHILD. */
#ifndef TENURE_H
#define TENURE_H

#include <stddef.h>
#include <stdint.h>

#include "tenure_i8.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* ---- Presence -------------------------------------------------------------------------------------------------- */

/* Version as "1.2.3"; static storage. Any thread. */
const char *tenure_version(void);

/* 1 if the OpenMP regions of this process run on this library, 0 if another runtime serves them (the library is
 * linked or loaded, but GOMP_parallel resolves elsewhere). Any thread; starts nothing.
 * It does not see regions that call no GOMP_ function: those of files compiled by clang -fopenmp run on LLVM's runtime.
 * Compile programs that link to this library by GCC: beside LLVM's runtime the omp_ functions would be this library's. */
int tenure_is_active(void);

/* Worker threads started so far in this process (calling threads are not workers), and those alive now. Any thread. */
unsigned tenure_spawned_workers(void);
unsigned tenure_alive_workers(void);

/* ---- Sessions -------------------------------------------------------------------------------------------------- */

/* A handle; compare for nothing, copy freely. {0} is never valid. */
typedef struct tenure_session {
    uint64_t id;
} tenure_session;

/* A parallel_for of a pool that the program already has (see `host_pool` below). Calls fn(ctx, i) for each i in
 * [0, count), each once, on any threads, and returns when all have returned. May run them all on the calling thread. */
typedef void (*tenure_parallel_for)(void *pool, size_t count, void (*fn)(void *ctx, size_t i), void *ctx);

typedef struct tenure_host_pool {
    tenure_parallel_for parallel_for;
    void *pool;    /* handed to parallel_for as it is */
    unsigned width; /* threads it may have, the caller included; 0: the session's width */
} tenure_host_pool;

enum { /* flags */
    TENURE_LEASE_UNTIL_CLOSE = 1 /* members stay awake until close or pause, however long that is: burns processors */
};
enum { /* affinity */
    TENURE_AFFINITY_DEFAULT = 0, /* as for any region: places where a policy is set, else the caller's set */
    TENURE_AFFINITY_CALLER = 1,  /* members run where the caller may run when it opens the session; with places: in its place */
    TENURE_AFFINITY_CLOSE = 2,   /* places, close to the caller's; as proc_bind(close) */
    TENURE_AFFINITY_SPREAD = 3   /* places, spread; as proc_bind(spread) */
};

#define TENURE_LEASE_DEFAULT_NS 5000000   /* 5 ms */
#define TENURE_LEASE_MAX_NS 1000000000    /* 1 s; longer only with TENURE_LEASE_UNTIL_CLOSE */

typedef struct tenure_session_options {
    size_t size;        /* sizeof(tenure_session_options) */
    unsigned width;     /* threads, the caller included, 1 to 65535; 0: what a region of this thread would get now */
    unsigned affinity;  /* TENURE_AFFINITY_* */
    uint64_t lease_ns;  /* idle time that members stay awake after a region, 0: the default, at most the maximum. One of the
                           default or less ends early while other threads than the team's take the members' processors */
    unsigned flags;     /* TENURE_LEASE_UNTIL_CLOSE */
    const tenure_host_pool *host_pool; /* a pool to run kernels and session_for on, if it turns out to have workers;
                                          NULL: none. Copied at open */
} tenure_session_options;

/* Opens a session and stores its handle. `options` NULL: all defaults. Opening again on the thread that has a session of
 * the same width as its innermost gives the same handle, counted, and the first open's options hold. Another width: a
 * session of its own inside the first. The width is what OpenMP grants (OMP_THREAD_LIMIT, OMP_DYNAMIC): inside a parallel
 * region what nesting allows, else 1 (then everything runs on the caller alone). Width 1 has no worker. Close a session in
 * the task that opened it; sessions may be closed in any order.
 * -EINVAL: bad size, width, affinity, flags, lease, pool without parallel_for, or s NULL; -EAGAIN: threads cannot be had. */
int tenure_session_open(tenure_session *s, const tenure_session_options *options);

/* Runs fn(arg, thread, width) once on each member, thread 0 on the caller; returns when all have returned. The members
 * are an OpenMP team: barriers, worksharing and tasks work inside. -EPERM, -EINVAL, -ECHILD. */
int tenure_session_run(tenure_session s, void (*fn)(void *arg, int thread, int width), void *arg);

/* Calls fn(arg, lo, hi) on pieces [lo, hi) that together make [begin, end), each at least `grain` long unless there is
 * only one (grain 0: one piece per member), in any order, at the same time; returns when all have returned. An empty range
 * calls nothing. -EINVAL: end < begin or grain < 0. -EPERM, -ECHILD. */
int tenure_session_for(tenure_session s, int64_t begin, int64_t end, int64_t grain,
                       void (*fn)(void *arg, int64_t lo, int64_t hi), void *arg);

/* Members may sleep at once, until the next region: before I/O or another long wait. -EPERM, -EINVAL, -ECHILD. */
int tenure_session_pause(tenure_session s);

typedef struct tenure_session_figures {
    size_t size;        /* in: sizeof(tenure_session_figures); filled up to that */
    unsigned width;     /* threads, the caller included */
    unsigned opens;     /* opens not yet closed */
    uint64_t regions;   /* served by the team since this session was opened, anybody's; width 1: calls of run and for */
    uint64_t spins;     /* releases of a member that found it awake */
    uint64_t sleeps;    /* times a member went to sleep since then */
    uint64_t wakes;     /* releases that had to wake somebody by a system call */
    uint64_t build_ns;  /* making threads and teams, at open */
    uint64_t acquire_ns; /* the rest of getting the team at open. This and the next two: with TENURE_PROFILE=1, else 0 */
    uint64_t call_ns;   /* inside tenure_session_run and _for */
    uint64_t release_ns; /* giving the team back, when this thread last closed a session like this one */
    uint64_t probes;    /* questions asked of the host pool */
    uint64_t latched;   /* 1: the host pool has workers and is used */
    uint64_t pool_calls; /* dispatches to the host pool */
} tenure_session_figures;

/* Figures of a session. -EINVAL: info NULL or its size 0. -EPERM, -ECHILD. */
int tenure_session_info(tenure_session s, tenure_session_figures *info);

/* Gives up one open; the last one lets the members go back to ordinary waiting and restores omp_get_max_threads(), unless
 * the program has called omp_set_num_threads (or openblas_set_num_threads) in between: that stays. The team stays cached.
 * -EPERM, -EINVAL, -ECHILD. */
int tenure_session_close(tenure_session s);

/* ---- Exact int8 products ----------------------------------------------------------------------------------------- */

/* MatMulInteger and QLinearMatMul of ONNX; tenure_i8.h has the arguments and the definition of every bit. They take any
 * thread. `session` {0}: a region of the calling thread, of the width that any region would get; an open session of the
 * calling thread: its team, or the host pool lent to it once that has shown workers. Inside a parallel region, a task within
 * the session, or a piece of a host pool's work: the calling thread alone. Products too small to be worth a region run on
 * the calling thread too (a region's cost is measured once per width and process). The result is the same bit for bit.
 *
 * Memory to work in (packed rows of A; B, if it comes unpacked) is kept with the calling thread from one call to the next, up
 * to 32 MiB, and freed when it ends. Example (also a test, tests/test_gemm.c): a layer's weights, packed once, used often.
 *
 *     tenure_i8_args g = {.size = sizeof g, .m = rows, .n = out, .k = in, .a_signed = 0, .b_signed = 1, .b = weights};
 *     size_t bytes;
 *     if (tenure_i8_pack_size(&g, &bytes) == 0) {
 *         void *packed = aligned_alloc(64, (bytes + 63) / 64 * 64);
 *         tenure_i8_pack(s, &g, packed, bytes);                      // weights are not needed any more
 *         g.packed = packed, g.a = x, g.a_zero = &x_zero;            // MatMulInteger: int32 sums
 *         g.c = y, g.c_type = TENURE_I8_OUT_U8, g.scale = &scale;    // QLinearMatMul: 8 bits, scaled and rounded
 *         tenure_i8_matmul(s, &g);
 *     }
 *
 * Errors of all: -EINVAL: an argument that may not be (a NULL pointer, a negative or too small size or leading dimension, an
 * unknown flag, a scale that is not finite, C over an input); -EOVERFLOW: a size beyond the address range; -ENOTSUP:
 * TENURE_I8_VARIANT names what this machine can't run (said once, in one line); of a session: -EPERM, -ECHILD. Nothing has
 * been written then. */

/* C from A and B, as tenure_i8.h says. -ENOMEM too. A, B and C may be used by nobody else meanwhile, C not even read. */
int tenure_i8_matmul(tenure_session session, const tenure_i8_args *args);

/* Packed B: a block of memory that the caller owns, aligned to 64 bytes. It holds no pointers and is its own serialised form:
 * write it to a file, map it read-only, share it among processes. A block packed for another variant (another machine) is
 * valid too, served by the best variant that reads its layout; packing anew (repack) makes it as fast as a fresh one.
 * Of `args`, what describes B counts: n, k, b, ldb, b_signed, batch, stride_b, TENURE_I8_B_TRANSPOSED; pack_size needs no b.
 * pack: -EINVAL also if `block` is misaligned, of less than pack_size bytes, or over B. */
int tenure_i8_pack_size(const tenure_i8_args *args, size_t *bytes);
int tenure_i8_pack(tenure_session session, const tenure_i8_args *args, void *block, size_t bytes);

typedef struct tenure_i8_packed_info {
    size_t size;     /* in: sizeof(tenure_i8_packed_info); filled up to that */
    uint64_t bytes;  /* of the block */
    int64_t k, n;
    int64_t items;   /* matrices: 1, or one for each product of a batch */
    int b_signed;
    int native;      /* 1: in the layout that this process packs; 0: repack gains */
} tenure_i8_packed_info;

/* Is this a whole packed block within `bytes` bytes (of a file, say)? Reads its first 64 bytes. `info` may be NULL. -EINVAL:
 * not one, damaged, cut short or misaligned; -ENOTSUP: of a later release. What the matrix holds can't be checked. */
int tenure_i8_packed_check(const void *block, size_t bytes, tenure_i8_packed_info *info);

/* The block `packed` (of at most packed_bytes) in the layout that this process packs; -EINVAL, -ENOTSUP as packed_check. */
int tenure_i8_repack_size(const void *packed, size_t packed_bytes, size_t *bytes);
int tenure_i8_repack(tenure_session session, const void *packed, size_t packed_bytes, void *block, size_t bytes);

/* The variant in use: "avx2", "amx", …; NULL: TENURE_I8_VARIANT names what can't run. Static storage. */
const char *tenure_i8_variant(void);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
