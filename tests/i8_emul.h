/* SPDX-License-Identifier: MIT */
/* Scalar versions of the vector and tile instructions that kernels/i8_vnni.c and i8_amx.c use, from Intel's description
 * of each. A test includes this, then those sources: the same code runs, lane by lane, on any processor. Tiles fault as
 * the processor does: use without configuration, or past a tile's shape, stops the test. */
#ifndef I8_EMUL_H
#define I8_EMUL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TN_I8_EMULATE 1
#define TN_TARGET(x)

typedef struct {
    int32_t lane[8];
} emul_256;
typedef struct {
    int32_t lane[16];
} emul_512;
#define __m256i emul_256
#define __m512i emul_512

/* vpdpbusd on one lane: u8 of `a` times s8 of `b`, four products added to `c`, no saturation. */
static inline int32_t emul_dpbusd(int32_t c, int32_t a, int32_t b)
{
    uint8_t x[4];
    int8_t y[4];
    memcpy(x, &a, 4);
    memcpy(y, &b, 4);
    uint32_t sum = (uint32_t)c;
    for (int i = 0; i < 4; i++)
        sum += (uint32_t)(x[i] * y[i]);
    return (int32_t)sum;
}

#define EMUL_VECTOR(V, LANES, P, LOAD, STORE, SUFFIX, DPBUSD)                                                          \
    static inline V P##_setzero_##SUFFIX(void)                                                                         \
    {                                                                                                                  \
        return (V){{0}};                                                                                               \
    }                                                                                                                  \
    static inline V LOAD(const void *p)                                                                                \
    {                                                                                                                  \
        V v;                                                                                                           \
        memcpy(&v, p, sizeof v);                                                                                       \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline void STORE(void *p, V v)                                                                             \
    {                                                                                                                  \
        memcpy(p, &v, sizeof v);                                                                                       \
    }                                                                                                                  \
    static inline V P##_set1_epi32(int32_t x)                                                                          \
    {                                                                                                                  \
        V v;                                                                                                           \
        for (int i = 0; i < LANES; i++)                                                                                \
            v.lane[i] = x;                                                                                             \
        return v;                                                                                                      \
    }                                                                                                                  \
    static inline V P##_add_epi32(V x, V y)                                                                            \
    {                                                                                                                  \
        for (int i = 0; i < LANES; i++)                                                                                \
            x.lane[i] = (int32_t)((uint32_t)x.lane[i] + (uint32_t)y.lane[i]);                                          \
        return x;                                                                                                      \
    }                                                                                                                  \
    static __attribute__((noinline)) V DPBUSD(V c, V a, V b)                                                           \
    {                                                                                                                  \
        for (int i = 0; i < LANES; i++)                                                                                \
            c.lane[i] = emul_dpbusd(c.lane[i], a.lane[i], b.lane[i]);                                                  \
        return c;                                                                                                      \
    }

EMUL_VECTOR(emul_256, 8, _mm256, _mm256_loadu_si256, _mm256_storeu_si256, si256, _mm256_dpbusd_avx_epi32)
EMUL_VECTOR(emul_512, 16, _mm512, _mm512_loadu_si512, _mm512_storeu_si512, si512, _mm512_dpbusd_epi32)

/* ---- Tiles ----------------------------------------------------------------------------------------------------- */

static struct {
    int configured;
    uint16_t row_bytes[8];
    uint8_t rows[8];
    uint8_t data[8][16][64];
} emul_tiles;

static inline void emul_need(int ok)
{
    if (!ok)
        abort(); /* #UD or #GP */
}

static inline void _tile_loadconfig(const void *config)
{
    const uint8_t *c = config;
    emul_need(c[0] == 1 && c[1] == 0);
    memset(&emul_tiles, 0, sizeof emul_tiles);
    for (int t = 0; t < 8; t++) {
        memcpy(&emul_tiles.row_bytes[t], c + 16 + 2 * t, 2);
        emul_tiles.rows[t] = c[48 + t];
        emul_need(emul_tiles.row_bytes[t] <= 64 && emul_tiles.rows[t] <= 16);
    }
    emul_tiles.configured = 1;
}

static inline void _tile_release(void)
{
    emul_tiles.configured = 0;
}

static inline void _tile_zero(int t)
{
    emul_need(emul_tiles.configured && emul_tiles.rows[t]);
    memset(emul_tiles.data[t], 0, sizeof emul_tiles.data[t]);
}

static inline void _tile_loadd(int t, const void *p, size_t stride)
{
    _tile_zero(t);
    for (int r = 0; r < emul_tiles.rows[t]; r++)
        memcpy(emul_tiles.data[t][r], (const char *)p + (size_t)r * stride, emul_tiles.row_bytes[t]);
}

static inline void _tile_stored(int t, void *p, size_t stride)
{
    emul_need(emul_tiles.configured && emul_tiles.rows[t]);
    for (int r = 0; r < emul_tiles.rows[t]; r++)
        memcpy((char *)p + (size_t)r * stride, emul_tiles.data[t][r], emul_tiles.row_bytes[t]);
}

/* tdpbusd: c[m][n] += sum over k of u8 a[m][4k..] . s8 b[k][4n..] */
static inline void _tile_dpbusd(int c, int a, int b)
{
    emul_need(emul_tiles.configured && emul_tiles.rows[c] == emul_tiles.rows[a] &&
              emul_tiles.row_bytes[c] == emul_tiles.row_bytes[b] && emul_tiles.row_bytes[a] == 4 * emul_tiles.rows[b]);
    for (int m = 0; m < emul_tiles.rows[c]; m++)
        for (int n = 0; n < emul_tiles.row_bytes[c] / 4; n++) {
            int32_t x, y, sum;
            memcpy(&sum, &emul_tiles.data[c][m][4 * n], 4);
            for (int k = 0; k < emul_tiles.row_bytes[a] / 4; k++) {
                memcpy(&x, &emul_tiles.data[a][m][4 * k], 4);
                memcpy(&y, &emul_tiles.data[b][k][4 * n], 4);
                sum = emul_dpbusd(sum, x, y);
            }
            memcpy(&emul_tiles.data[c][m][4 * n], &sum, 4);
        }
}

/* The variants made from the sources under other names, so that the library's own can be linked too. */
#define tn_i8_avxvnni emul_avxvnni
#define tn_i8_avx512vnni emul_avx512vnni
#define tn_i8_amx emul_amx
#define tn_finish_avx2 tn_finish_baseline

#endif
