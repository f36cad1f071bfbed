/* SPDX-License-Identifier: MIT */
/* int8 products and packing over threads: where a call runs (session's team, lent pool, plain region, here), in how many
 * parts, and the memory that it works in. The arithmetic is in kernels/. Any thread.
 *
 * A call is one or two spreads of parts: B packed if it came unpacked, then the product. Invariant: which thread runs a
 * part, and how many there are, changes no bit of the result. */
#include "gemm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "i8gemm.h"
#include "region.h"
#include "session.h"

#define KEEP_BYTES ((size_t)32 << 20) /* work memory that a thread keeps between calls; as tenure.h says */
#define POOL_NS 5000.0    /* a dispatch to a lent pool: an estimate, on the side of using it */
#define REGION_LEAST_NS 250 /* below any region of two processors: bench `floor`, 2 x line at its quickest */
#define PACK_LEAST 65536  /* bytes of packed B from which packing is spread: about 20 us of work */

_Atomic bool tn_gemm_used;

/* --- Where a call runs ------------------------------------------------------------------------------------------------- */

struct where {
    struct tn_thread *me;
    struct tn_session *session;  /* NULL: none given */
    struct tn_host_pool *pool;   /* run there. NULL: on our own team */
    unsigned width;              /* of our own team; 1: here */
    bool inside;                 /* of a region or of a piece of a pool's work: stays in this thread */
};

static int find(tenure_session h, struct where *w)
{
    *w = (struct where){.width = 1};
    int err;
    if (h.id && !(w->session = tn_session_find(h, &err)))
        return err;
    w->me = tn_self_attach();
    w->inside = tn_host_pool_inside() ||
                (w->session ? w->me->task != w->session->task : w->me->cur->team->active_level > 0);
    if (!w->inside)
        w->width = w->session ? w->session->width : tn_region_width(w->me, 0);
    if (tn_unlikely(!tn_load(&tn_gemm_used)))
        tn_store(&tn_gemm_used, true);
    return 0;
}

typedef void part_fn(void *ctx, unsigned part, unsigned parts);

struct spread {
    part_fn *fn;
    void *ctx;
    unsigned parts;
};

/* The team may be narrower than expected (OMP_DYNAMIC, a thread limit): its members then take several parts. */
static void spread_member(void *arg)
{
    const struct spread *s = arg;
    const struct tn_member *m = tn_self()->cur;
    for (unsigned i = m->num; i < s->parts; i += m->team->width)
        s->fn(s->ctx, i, s->parts);
}

static void spread_index(void *arg, size_t i)
{
    const struct spread *s = arg;
    s->fn(s->ctx, (unsigned)i, s->parts);
}

static void spread(const struct where *w, unsigned parts, part_fn *fn, void *ctx)
{
    struct spread s = {fn, ctx, parts};
    if (parts == 1)
        fn(ctx, 0, 1);
    else if (w->pool)
        tn_host_pool_run(w->pool, parts, spread_index, &s);
    else if (w->session)
        tn_session_region(w->session, spread_member, &s);
    else
        tn_region(spread_member, &s, 0, 0);
}

static struct tn_host_pool *lent_pool(const struct where *w)
{
    return w->session && !w->inside && w->session->pool.lent.parallel_for ? &w->session->pool : NULL;
}

static unsigned pool_width(const struct where *w, const struct tn_host_pool *pool)
{
    return pool->lent.width ? pool->lent.width : w->session->width;
}

/* --- In how many parts ------------------------------------------------------------------------------------------------- */

static void nothing(void *ctx, unsigned part, unsigned parts)
{
    (void)ctx, (void)part, (void)parts;
}

static int by_value(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* What a region of each width costs here, ns; 0: not known. Two that measure at once agree well enough. */
static _Atomic uint32_t region_ns[65];

static _Atomic uint32_t *known_ns(const struct where *w)
{
    return &region_ns[w->width < 64 ? w->width : 64];
}

/* The median of a few empty regions, after some that make and wake the team. */
static TN_COLD double measure_slow(const struct where *w)
{
    uint32_t ns[15];
    const size_t count = sizeof ns / sizeof *ns;
    for (size_t i = 0; i < 2 * count; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        spread(w, w->width, nothing, NULL);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const int64_t took = (to.tv_sec - from.tv_sec) * 1000000000 + (to.tv_nsec - from.tv_nsec);
        ns[i % count] = took < 100000 ? (uint32_t)took : 100000;
    }
    qsort(ns, count, sizeof *ns, by_value);
    tn_store(known_ns(w), ns[count / 2] + 1);
    return ns[count / 2] + 1;
}

/* Plans a product, and chooses between lent pool and team. Products too small for any team start no thread. */
static int plan(struct where *w, const tenure_i8_args *args, tn_i8_plan *p)
{
    int err;
    struct tn_host_pool *pool = lent_pool(w);
    if (tn_unlikely(pool)) {
        err = tn_i8_plan_make(p, args, pool_width(w, pool), POOL_NS, NULL);
        if (err)
            return err;
        if (p->parts > 1 && tn_host_pool_ready(pool)) {
            w->pool = pool;
            return 0;
        }
    }
    const uint32_t known = tn_load(known_ns(w));
    err = tn_i8_plan_make(p, args, w->width, known ? known : REGION_LEAST_NS, NULL);
    if (tn_unlikely(err == 0 && p->parts > 1 && !known))
        err = tn_i8_plan_make(p, args, w->width, measure_slow(w), NULL);
    return err;
}

/* --- Memory: one block, taken from the thread's record while a call uses it, so that a call from within finds none ----- */

static void *memory_take(struct tn_thread *me, size_t need, size_t *have)
{
    void *at = me->i8_memory;
    *have = me->i8_bytes;
    me->i8_memory = NULL;
    me->i8_bytes = 0;
    if (tn_likely(*have >= need))
        return at;
    free(at);
    *have = (need + 4095) & ~(size_t)4095;
    return aligned_alloc(TN_LINE, *have);
}

static void memory_put(struct tn_thread *me, void *at, size_t have)
{
    if (have > KEEP_BYTES || have <= me->i8_bytes) {
        free(at);
        return;
    }
    free(me->i8_memory);
    me->i8_memory = at;
    me->i8_bytes = have;
}

/* --- Products ---------------------------------------------------------------------------------------------------------- */

struct product {
    tn_i8_plan plan;
    char *block, *scratch; /* B packed, if it came unpacked; scratch of all parts */
};

static void pack_b(void *ctx, unsigned part, unsigned parts)
{
    const struct product *p = ctx;
    tn_i8_plan_pack(&p->plan, p->block, part, parts);
}

static void multiply(void *ctx, unsigned part, unsigned parts)
{
    const struct product *p = ctx;
    (void)parts;
    tn_i8_plan_run(&p->plan, p->block, part, p->scratch + part * p->plan.scratch_bytes);
}

int tenure_i8_matmul(tenure_session session, const tenure_i8_args *args)
{
    struct where w;
    struct product p;
    int err = find(session, &w);
    if (err == 0)
        err = plan(&w, args, &p.plan);
    if (err || p.plan.parts == 0)
        return err;
    size_t need, have;
    if (__builtin_mul_overflow(p.plan.parts, p.plan.scratch_bytes, &need) ||
        __builtin_add_overflow(need, p.plan.pack_bytes, &need) || need > PTRDIFF_MAX - 4096)
        return -ENOMEM;
    p.scratch = memory_take(w.me, need, &have);
    if (!p.scratch)
        return -ENOMEM;
    p.block = p.scratch + p.plan.parts * p.plan.scratch_bytes;
    if (p.plan.pack_bytes)
        spread(&w, p.plan.parts, pack_b, &p);
    spread(&w, p.plan.parts, multiply, &p);
    memory_put(w.me, p.scratch, have);
    return 0;
}

const char *tenure_i8_variant(void)
{
    const tn_i8_variant *v;
    return tn_i8_variant_choose(&v) == 0 ? v->name : NULL;
}

/* --- Packed B ------------------------------------------------------------------------------------------------------------ */

struct packing {
    tn_i8_packed *to;
    tn_i8_source from;
    const tn_i8_packed *old; /* packed already, in another layout; NULL: `from` counts */
};

static void pack_part(void *ctx, unsigned part, unsigned parts)
{
    const struct packing *p = ctx;
    if (p->old)
        tn_i8_repack_part(p->to, p->old, part, parts);
    else
        tn_i8_pack_part(p->to, p->to, &p->from, part, parts);
    tn_i8_thread_warm(); /* who packs will multiply */
}

static void run_packing(struct where *w, struct packing *p)
{
    struct tn_host_pool *pool = lent_pool(w);
    unsigned parts = p->to->bytes < PACK_LEAST ? 1 : w->width;
    if (pool && p->to->bytes >= PACK_LEAST && tn_host_pool_ready(pool)) {
        w->pool = pool;
        parts = pool_width(w, pool);
    }
    spread(w, parts, pack_part, p);
}

/* Only what describes B counts; `b` may be missing when only the size is asked for. */
static int b_only(const tenure_i8_args *args, bool with_b, tenure_i8_args *full)
{
    if (!args || args->size != sizeof *args || args->packed)
        return -EINVAL;
    const tenure_i8_args b = {.size = sizeof b, .k = args->k, .n = args->n, .ldb = args->ldb, .b_signed = args->b_signed,
                              .b = with_b ? args->b : (const void *)full, .flags = args->flags & TENURE_I8_B_TRANSPOSED,
                              .batch = args->batch, .stride_b = args->stride_b};
    return tn_i8_check(&b, full);
}

static int64_t items(const tenure_i8_args *b)
{
    return b->stride_b ? b->batch : 1;
}

static int size_for(int64_t k, int64_t n, int64_t count, const tn_i8_variant **v, size_t *bytes)
{
    tn_i8_shape s;
    const int err = tn_i8_variant_choose(v);
    return err ? err : tn_i8_shape_of((*v)->layout, k, n, count, &s, bytes);
}

int tenure_i8_pack_size(const tenure_i8_args *args, size_t *bytes)
{
    tenure_i8_args b;
    const tn_i8_variant *v;
    size_t size;
    int err = bytes ? b_only(args, false, &b) : -EINVAL;
    if (err == 0)
        err = size_for(b.k, b.n, items(&b), &v, &size);
    if (err == 0)
        *bytes = size;
    return err;
}

/* Is [x, x + x_bytes) clear of [y, y + y_bytes)? */
static bool apart(const void *x, size_t x_bytes, const void *y, size_t y_bytes)
{
    const uintptr_t a = (uintptr_t)x, b = (uintptr_t)y;
    return a < b ? b - a >= x_bytes : a - b >= y_bytes;
}

/* A block that can take `need` bytes. */
static bool fits(const void *block, size_t bytes, size_t need)
{
    return block && (uintptr_t)block % TN_LINE == 0 && bytes >= need;
}

int tenure_i8_pack(tenure_session session, const tenure_i8_args *args, void *block, size_t bytes)
{
    struct where w;
    tenure_i8_args b;
    const tn_i8_variant *v;
    size_t need;
    int err = find(session, &w);
    if (err == 0)
        err = b_only(args, true, &b);
    if (err == 0)
        err = size_for(b.k, b.n, items(&b), &v, &need);
    if (err)
        return err;
    const bool t = b.flags & TENURE_I8_B_TRANSPOSED;
    const size_t rows = (size_t)(t ? b.n : b.k), row = (size_t)(t ? b.k : b.n);
    const size_t taken = rows && row ? ((size_t)items(&b) - 1) * (size_t)b.stride_b + (rows - 1) * (size_t)b.ldb + row : 0;
    if (!fits(block, bytes, need) || (taken && !apart(b.b, taken, block, need)))
        return -EINVAL;
    struct packing p = {.to = block, .from = {.b = b.b, .ld = (size_t)b.ldb, .stride = (size_t)b.stride_b,
                                              .is_signed = b.b_signed, .transposed = t}};
    tn_i8_pack_header(block, v->layout, b.k, b.n, items(&b), b.b_signed);
    run_packing(&w, &p);
    return 0;
}

int tenure_i8_packed_check(const void *block, size_t bytes, tenure_i8_packed_info *info)
{
    int err = !info || info->size >= sizeof info->size ? tn_i8_packed_check(block, bytes) : -EINVAL;
    if (err || !info)
        return err;
    const tn_i8_packed *h = block;
    const tn_i8_variant *v;
    const bool native = tn_i8_variant_choose(&v) == 0 && v->layout == h->layout;
    const tenure_i8_packed_info found = {.size = info->size, .bytes = h->bytes, .k = h->k, .n = h->n, .items = h->items,
                                         .b_signed = (int)h->is_signed, .native = native};
    memcpy(info, &found, info->size < sizeof found ? info->size : sizeof found);
    return 0;
}

int tenure_i8_repack_size(const void *packed, size_t packed_bytes, size_t *bytes)
{
    const tn_i8_packed *h = packed;
    const tn_i8_variant *v;
    size_t size;
    int err = bytes ? tn_i8_packed_check(packed, packed_bytes) : -EINVAL;
    if (err == 0)
        err = size_for(h->k, h->n, h->items, &v, &size);
    if (err == 0)
        *bytes = size;
    return err;
}

int tenure_i8_repack(tenure_session session, const void *packed, size_t packed_bytes, void *block, size_t bytes)
{
    struct where w;
    const tn_i8_packed *h = packed;
    const tn_i8_variant *v;
    size_t need;
    int err = find(session, &w);
    if (err == 0)
        err = tn_i8_packed_check(packed, packed_bytes);
    if (err == 0)
        err = size_for(h->k, h->n, h->items, &v, &need);
    if (err)
        return err;
    if (!fits(block, bytes, need) || !apart(packed, h->bytes, block, need))
        return -EINVAL;
    struct packing p = {.to = block, .old = h};
    tn_i8_pack_header(block, v->layout, h->k, h->n, h->items, h->is_signed);
    run_packing(&w, &p);
    return 0;
}

void tn_gemm_worker_start(void)
{
    if (tn_load(&tn_gemm_used))
        tn_i8_thread_warm();
}
