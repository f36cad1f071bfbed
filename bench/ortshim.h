/* SPDX-License-Identifier: MIT */
/*
 * A small C binding of ONNX Runtime's C API through its version-1 function table (the order of that table never
 * changes), and an encoder of models made of MatMulInteger or QLinearMatMul nodes. No vendor header is needed. Main
 * thread only. Invariant: whatever ONNX Runtime refuses ends the process with its own message.
 */
#ifndef ORTSHIM_H
#define ORTSHIM_H
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *(*GetApi)(uint32_t);
    const char *(*GetVersionString)(void);
} ort_base;
enum { /* slots of the function table */
       OS_GetErrorMessage = 2,
       OS_CreateEnv = 3,
       OS_CreateSessionFromArray = 8,
       OS_Run = 9,
       OS_CreateSessionOptions = 10,
       OS_SetGraphOpt = 23,
       OS_SetIntra = 24,
       OS_SetInter = 25,
       OS_CreateTensorWithData = 49,
       OS_CreateCpuMemoryInfo = 69
};
static void *const *ort_tab;
static void *ort_env, *ort_mem;
typedef void *ort_status;

static void ort_ck(ort_status s, const char *what)
{
    if (!s)
        return;
    fprintf(stderr, "ort %s: %s\n", what, ((const char *(*)(const void *))ort_tab[OS_GetErrorMessage])(s));
    exit(1);
}
static const char *ort_open(const char *path)
{
    void *h = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!h) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    const ort_base *b = ((const ort_base *(*)(void))dlsym(h, "OrtGetApiBase"))();
    ort_tab = b->GetApi(13);
    if (!ort_tab)
        return NULL;
    ort_ck(((ort_status(*)(int, const char *, void **))ort_tab[OS_CreateEnv])(3, "int8peers", &ort_env), "env");
    ort_ck(((ort_status(*)(int, int, void **))ort_tab[OS_CreateCpuMemoryInfo])(0, 0, &ort_mem), "meminfo");
    return b->GetVersionString();
}

/* ---- protobuf ---- */
typedef struct {
    uint8_t *p;
    size_t n, cap;
} pbuf;
static void pb_raw(pbuf *b, const void *d, size_t n)
{
    if (b->n + n > b->cap) {
        b->cap = (b->n + n) * 2 + 64;
        b->p = realloc(b->p, b->cap);
    }
    if (n)
        memcpy(b->p + b->n, d, n);
    b->n += n;
}
static void pb_var(pbuf *b, uint64_t v)
{
    uint8_t c;
    do {
        c = v & 127;
        v >>= 7;
        if (v)
            c |= 128;
        pb_raw(b, &c, 1);
    } while (v);
}
static void pb_int(pbuf *b, int f, uint64_t v)
{
    pb_var(b, (uint64_t)f << 3);
    pb_var(b, v);
}
static void pb_len(pbuf *b, int f, const void *d, size_t n)
{
    pb_var(b, (uint64_t)f << 3 | 2);
    pb_var(b, n);
    pb_raw(b, d, n);
}
static void pb_str(pbuf *b, int f, const char *s) { pb_len(b, f, s, strlen(s)); }
static void pb_msg(pbuf *b, int f, pbuf *m)
{
    pb_len(b, f, m->p, m->n);
    free(m->p);
}

enum { DT_F32 = 1, DT_U8 = 2, DT_S8 = 3, DT_S32 = 6 };
static void onnx_init(pbuf *g, const char *name, int dt, int nd, const int64_t *dims, const void *raw, size_t n)
{
    pbuf t = {0};
    for (int i = 0; i < nd; i++)
        pb_int(&t, 1, (uint64_t)dims[i]);
    pb_int(&t, 2, (uint64_t)dt);
    pb_str(&t, 8, name);
    pb_len(&t, 9, raw, n);
    pb_msg(g, 5, &t);
}
static void onnx_io(pbuf *g, int f, const char *name, int dt, int64_t d0, int64_t d1)
{
    pbuf v = {0}, ty = {0}, tt = {0}, sh = {0}, d = {0};
    int64_t dd[2] = {d0, d1};
    for (int i = 0; i < 2; i++) {
        memset(&d, 0, sizeof d);
        pb_int(&d, 1, (uint64_t)dd[i]);
        pb_msg(&sh, 1, &d);
    }
    pb_int(&tt, 1, (uint64_t)dt);
    pb_msg(&tt, 2, &sh);
    pb_msg(&ty, 1, &tt);
    pb_str(&v, 1, name);
    pb_msg(&v, 2, &ty);
    pb_msg(g, f, &v);
}
typedef struct {
    int qlinear, as, bs;
    float mult;
    int yzp;
} ort_kind; /* as/bs: signed A/B; output u8 unless as */
/* R MatMulInteger or QLinearMatMul nodes (A, constant Bi) -> Yi */
static pbuf onnx_model(int M, int N, int K, ort_kind k, const void *const *B, int R, int azp, int bzp)
{
    pbuf m = {0}, g = {0}, op = {0};
    int da = k.as ? DT_S8 : DT_U8, db = k.bs ? DT_S8 : DT_U8;
    uint8_t za = (uint8_t)azp, zb = (uint8_t)bzp, zy = (uint8_t)k.yzp;
    float one = 1.0f, ys = 1.0f / k.mult;
    char bn[16], yn[16];
    for (int i = 0; i < R; i++) {
        pbuf n = {0};
        snprintf(bn, sizeof bn, "B%d", i);
        snprintf(yn, sizeof yn, "Y%d", i);
        const char *q[] = {"A", "sa", "za", bn, "sb", "zb", "sy", "zy"}, *mi[] = {"A", bn, "za", "zb"};
        for (int j = 0; j < (k.qlinear ? 8 : 4); j++)
            pb_str(&n, 1, k.qlinear ? q[j] : mi[j]);
        pb_str(&n, 2, yn);
        pb_str(&n, 3, yn);
        pb_str(&n, 4, k.qlinear ? "QLinearMatMul" : "MatMulInteger");
        pb_msg(&g, 1, &n);
    }
    pb_str(&g, 2, "g");
    int64_t bd[2] = {K, N};
    for (int i = 0; i < R; i++) {
        snprintf(bn, sizeof bn, "B%d", i);
        onnx_init(&g, bn, db, 2, bd, B[i], (size_t)K * N);
    }
    onnx_init(&g, "za", da, 0, NULL, &za, 1);
    onnx_init(&g, "zb", db, 0, NULL, &zb, 1);
    if (k.qlinear) {
        onnx_init(&g, "sa", DT_F32, 0, NULL, &one, 4);
        onnx_init(&g, "sb", DT_F32, 0, NULL, &one, 4);
        onnx_init(&g, "sy", DT_F32, 0, NULL, &ys, 4);
        onnx_init(&g, "zy", da, 0, NULL, &zy, 1);
    }
    onnx_io(&g, 11, "A", da, M, K);
    for (int i = 0; i < R; i++) {
        snprintf(yn, sizeof yn, "Y%d", i);
        onnx_io(&g, 12, yn, k.qlinear ? da : DT_S32, M, N);
    }
    pb_int(&m, 1, 7);
    pb_msg(&m, 7, &g);
    pb_str(&op, 1, "");
    pb_int(&op, 2, 13);
    pb_msg(&m, 8, &op);
    return m;
}
static void *ort_session(pbuf *m, int threads)
{
    void *so, *s;
    ort_ck(((ort_status(*)(void **))ort_tab[OS_CreateSessionOptions])(&so), "opts");
    ort_ck(((ort_status(*)(void *, int))ort_tab[OS_SetIntra])(so, threads), "intra");
    ort_ck(((ort_status(*)(void *, int))ort_tab[OS_SetInter])(so, 1), "inter");
    ort_ck(((ort_status(*)(void *, const void *, size_t, void *, void **))ort_tab[OS_CreateSessionFromArray])(
               ort_env, m->p, m->n, so, &s),
           "session");
    return s;
}
static void *ort_tensor(void *data, size_t n, int64_t d0, int64_t d1, int dt)
{
    void *v;
    int64_t d[2] = {d0, d1};
    ort_ck(((ort_status(*)(void *, void *, size_t, const int64_t *, size_t, int,
                           void **))ort_tab[OS_CreateTensorWithData])(ort_mem, data, n, d, 2, dt, &v),
           "tensor");
    return v;
}
/* output 0 goes to y, the others to spare (the order of the nodes is the runtime's own) */
static void ort_run(void *s, void *a, void *y, void *spare, int R)
{
    static const char *yn[64];
    static char nm[64][16];
    const char *in = "A";
    const void *av = a;
    void *yv[64];
    for (int i = 0; i < R; i++) {
        if (!yn[i]) {
            snprintf(nm[i], sizeof nm[i], "Y%d", i);
            yn[i] = nm[i];
        }
        yv[i] = i ? spare : y;
    }
    ort_ck(((ort_status(*)(void *, const void *, const char *const *, const void *const *, size_t, const char *const *,
                           size_t, void **))ort_tab[OS_Run])(s, NULL, &in, &av, 1, yn, (size_t)R, yv),
           "run");
}
#endif
