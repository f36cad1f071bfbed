/* SPDX-License-Identifier: MIT */
/* oneDNN, its version 2, as two contenders of scenario int8: the matmul primitive with weights of its own choosing, and its gemm.
 * Included once, by scenarios/int8.c after its `struct problem p` and `room`; without oneDNN's headers both are not there.
 * Invariant: make_dnnl is true only where all was made; drop_dnnl gives the weights back, the small rest stays. */
#ifndef BENCH_INT8DNNL_H
#define BENCH_INT8DNNL_H

#if defined DNNL_VERSION_MAJOR && DNNL_VERSION_MAJOR == 2
static void *dnnl;
static struct {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t matmul;
    dnnl_memory_t a, c, b[ROTATE];
} one;

/* Calls a function of the library by its name: nothing is linked. */
#define DNNL(name, ...)                                                                                                \
    do {                                                                                                               \
        __typeof__(name) *call_;                                                                                       \
        *(void **)&call_ = dlsym(dnnl, #name);                                                                         \
        if (!call_ || call_(__VA_ARGS__) != dnnl_success)                                                              \
            bench_fail("oneDNN: " #name);                                                                              \
    } while (0)

static void run_dnnl(int block)
{
    const dnnl_exec_arg_t a[3] = {{DNNL_ARG_SRC, one.a}, {DNNL_ARG_WEIGHTS, one.b[block]}, {DNNL_ARG_DST, one.c}};
    DNNL(dnnl_primitive_execute, one.matmul, one.stream, 3, a);
    DNNL(dnnl_stream_wait, one.stream);
}

static void run_dnnl_gemm(int block)
{
    const int32_t none = 0;
    if (p.a_signed)
        DNNL(dnnl_gemm_s8s8s32, 'N', 'N', 'F', p.m, p.n, p.k, 1, p.a, p.k, ZERO_A, p.b[block], p.n, 0, 0, p.c, p.n, &none);
    else
        DNNL(dnnl_gemm_u8s8s32, 'N', 'N', 'F', p.m, p.n, p.k, 1, p.a, p.k, ZERO_A, p.b[block], p.n, 0, 0, p.c, p.n, &none);
}

/* The weights in the form it asks for. */
static dnnl_memory_t reordered(const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to, void *b)
{
    dnnl_memory_t plain, made;
    dnnl_primitive_desc_t desc;
    dnnl_primitive_t reorder;
    DNNL(dnnl_memory_create, &plain, from, one.engine, b);
    DNNL(dnnl_memory_create, &made, to, one.engine, DNNL_MEMORY_ALLOCATE);
    DNNL(dnnl_reorder_primitive_desc_create, &desc, from, one.engine, to, one.engine, NULL);
    DNNL(dnnl_primitive_create, &reorder, desc);
    const dnnl_exec_arg_t a[2] = {{DNNL_ARG_FROM, plain}, {DNNL_ARG_TO, made}};
    DNNL(dnnl_primitive_execute, reorder, one.stream, 2, a);
    DNNL(dnnl_stream_wait, one.stream);
    return made;
}

static bool make_dnnl(void)
{
    const dnnl_dims_t da = {p.m, p.k}, db = {p.k, p.n}, dc = {p.m, p.n};
    const int32_t zero = ZERO_A;
    dnnl_memory_desc_t a, b, any, c;
    dnnl_matmul_desc_t desc;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd;
    if (!p.b_signed) /* it has no u8 weights */
        return false;
    if (!dnnl && !(dnnl = dlopen("libdnnl.so.2", RTLD_NOW)))
        return false;
    if (!one.engine) {
        DNNL(dnnl_engine_create, &one.engine, dnnl_cpu, 0);
        DNNL(dnnl_stream_create, &one.stream, one.engine, dnnl_stream_default_flags);
    }
    DNNL(dnnl_memory_desc_init_by_tag, &a, 2, da, p.a_signed ? dnnl_s8 : dnnl_u8, dnnl_ab);
    DNNL(dnnl_memory_desc_init_by_tag, &b, 2, db, dnnl_s8, dnnl_ab);
    DNNL(dnnl_memory_desc_init_by_tag, &any, 2, db, dnnl_s8, dnnl_format_tag_any);
    DNNL(dnnl_memory_desc_init_by_tag, &c, 2, dc, p.narrow ? dnnl_u8 : dnnl_s32, dnnl_ab);
    DNNL(dnnl_matmul_desc_init, &desc, &a, &any, NULL, &c);
    DNNL(dnnl_primitive_attr_create, &attr);
    DNNL(dnnl_primitive_attr_set_zero_points, attr, DNNL_ARG_SRC, 1, 0, &zero);
    if (p.narrow)
        DNNL(dnnl_primitive_attr_set_output_scales, attr, 1, 0, &p.scale);
    DNNL(dnnl_primitive_desc_create, &pd, &desc, attr, one.engine, NULL);
    DNNL(dnnl_primitive_create, &one.matmul, pd);
    const dnnl_memory_desc_t *(*query)(const_dnnl_primitive_desc_t, dnnl_query_t, int);
    *(void **)&query = dlsym(dnnl, "dnnl_primitive_desc_query_md");
    DNNL(dnnl_memory_create, &one.a, &a, one.engine, p.a);
    DNNL(dnnl_memory_create, &one.c, &c, one.engine, p.c);
    for (int i = 0; i < p.blocks; i++)
        one.b[i] = reordered(&b, query(pd, dnnl_query_weights_md, 0), p.b[i]);
    return true;
}

static void drop_dnnl(void)
{
    for (int i = 0; i < p.blocks && p.b_signed && dnnl; i++)
        DNNL(dnnl_memory_destroy, one.b[i]);
}
#else
static bool make_dnnl(void) { return false; }
static void drop_dnnl(void) {}
static void run_dnnl(int block) { (void)block; }
static void run_dnnl_gemm(int block) { (void)block; }
#endif

#endif
