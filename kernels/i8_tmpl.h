/* SPDX-License-Identifier: MIT */
/* The register-tiled kernel, written once. Each row of A is broadcast 4 bytes at a time against NV vectors of B.
 * No include guard: define the parameters, include, and they are undefined again.
 *
 *   KERNEL      name of the function made, of type tn_i8_kernel
 *   ATTRIBUTES  target attribute of everything in it
 *   MR          most rows; (MR * NV) accumulators, NV vectors of B and one of A must fit the register file
 *   NV          vectors in a panel's width
 *   LANES       32-bit accumulators in a vector
 *   B_BYTES     bytes of packed B for one vector of accumulators
 *   VEC         vector of accumulators; ZERO(), LOAD(p), SPREAD(i), STORE(p, c), ADD(c, c)
 *   VB, LOAD_B(p)     a vector of B from packed bytes
 *   VA, SET_A(p)      4 bytes of A for every lane
 *   AHEAD       bytes of B that are asked for in advance, 0: none. Panels follow each other, so it runs into the next one
 *   DOT(c, b, a)      c + dot products by lane, modulo 2^32
 *
 * Few rows leave few accumulators, and a chain of DOTs then waits for its own results: up to 4 groups run in chains of
 * their own (`chains`), folded at the end. Wrapping addition makes the order immaterial. */

#define TN_CAT2(a, b) a##b
#define TN_CAT(a, b) TN_CAT2(a, b)
#define TILE TN_CAT(KERNEL, _tile)
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#pragma GCC push_options
#pragma GCC optimize("no-tree-pre") /* GCC 12's keeps a copy of the accumulators in memory and stores to it in each turn */
#endif

static inline __attribute__((always_inline)) ATTRIBUTES void TILE(const int rows, int32_t *d, size_t ldd,
                                                                  const int32_t *init, size_t ldi, const int32_t *row,
                                                                  const uint8_t *a, const uint8_t *b, size_t groups)
{
    const int chains = MR / rows > 4 ? 4 : MR / rows;
    const int steps = chains > 2 ? chains : 2; /* groups in a turn of the loop */
    VEC c[MR][NV];
    UNROLL for (int r = 0; r < MR; r++)
        UNROLL for (int v = 0; v < NV; v++)
            c[r][v] = r < rows ? LOAD(init + (size_t)r * ldi + v * LANES) : ZERO();
    if (row)
        UNROLL for (int r = 0; r < rows; r++)
            UNROLL for (int v = 0; v < NV; v++)
                c[r][v] = ADD(c[r][v], SPREAD(row[r]));

    for (; groups >= (size_t)steps; groups -= (size_t)steps) {
        UNROLL for (int u = 0; u < steps; u++) {
            VB bv[NV];
            UNROLL for (int v = 0; v < NV; v++) {
                bv[v] = LOAD_B(b + v * B_BYTES);
                if (AHEAD && v * B_BYTES % 64 == 0)
                    __builtin_prefetch(b + AHEAD + v * B_BYTES);
            }
            UNROLL for (int r = 0; r < rows; r++) {
                VA av = SET_A(a + 4 * r);
                UNROLL for (int v = 0; v < NV; v++)
                    c[u % chains * rows + r][v] = DOT(c[u % chains * rows + r][v], bv[v], av);
            }
            a += 4 * rows;
            b += NV * B_BYTES;
        }
    }
    for (; groups; groups--, a += 4 * rows, b += NV * B_BYTES)
        UNROLL for (int r = 0; r < rows; r++)
            UNROLL for (int v = 0; v < NV; v++)
                c[r][v] = DOT(c[r][v], LOAD_B(b + v * B_BYTES), SET_A(a + 4 * r));

    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < NV; v++) {
            UNROLL for (int u = 1; u < chains; u++)
                c[r][v] = ADD(c[r][v], c[u * rows + r][v]);
            STORE(d + (size_t)r * ldd + v * LANES, c[r][v]);
        }
}

ATTRIBUTES void KERNEL(int32_t *d, size_t ldd, const int32_t *init, size_t ldi, const int32_t *row, const void *a,
                       const void *b, size_t rows, size_t groups)
{
#define ROWS(n)                                                                                                        \
    case n:                                                                                                            \
        TILE(n, d, ldd, init, ldi, row, a, b, groups);                                                                 \
        break;
    switch (rows) {
        ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6)
#if MR > 6
        ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12)
#endif
    }
#undef ROWS
}

#ifndef __clang__
#pragma GCC pop_options
#endif
#undef KERNEL
#undef ATTRIBUTES
#undef MR
#undef NV
#undef LANES
#undef B_BYTES
#undef AHEAD
#undef VEC
#undef ZERO
#undef LOAD
#undef SPREAD
#undef STORE
#undef ADD
#undef VB
#undef LOAD_B
#undef VA
#undef SET_A
#undef DOT
#undef TILE
#undef UNROLL
#undef TN_CAT
#undef TN_CAT2
