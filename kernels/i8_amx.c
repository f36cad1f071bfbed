/* SPDX-License-Identifier: MIT */
/* AMX-INT8 (Sapphire Rapids and later): tiles of 16 rows by 64 bytes, 2 x 2 of them accumulate. The tile configuration
 * belongs to a thread; `enter` loads it and `leave` gives the tiles back, so nothing of a run is left in a thread.
 * Invariant: all tiles always have 16 rows; A panels are padded to that, and so is the memory a kernel call writes. */
#include "cpu.h"
#include "variants.h"

#include <string.h>

#ifndef TN_I8_EMULATE
#include <immintrin.h>
#define TN_TARGET(x) __attribute__((target(x)))
#endif
#define AMX TN_TARGET("amx-tile,amx-int8")

enum { T = 16, T_BYTES = 64, T_AREA = T * T_BYTES }; /* a tile: rows, bytes of a row, bytes */

typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_config;

AMX static void enter(void)
{
    tile_config t = {.palette = 1};
    for (int i = 0; i < 8; i++) {
        t.row_bytes[i] = T_BYTES;
        t.rows[i] = T;
    }
#ifdef TN_I8_EMULATE
    _tile_loadconfig(&t);
#else
    /* GCC 12's intrinsic declares 8 bytes as read, and the rest of `t` is then optimised away. */
    __asm__ volatile("ldtilecfg %0" : : "m"(t));
#endif
}

AMX static void leave(void)
{
    _tile_release();
}

/* Rows of 64 k, 16 rows to a tile, the tiles of a panel one after the other: what _tile_loadd wants to read in order. */
static void pack_a_tiles(void *panel, const uint8_t *a, size_t lda, size_t rows, size_t k, size_t groups, uint8_t flip,
                         bool is_signed)
{
    (void)is_signed;
    const size_t tiles = (rows + T - 1) / T;
    uint64_t flips = 0x0101010101010101u * flip;
    for (size_t k0 = 0; k0 < groups * 4; k0 += T_BYTES) {
        const size_t bytes = k0 >= k ? 0 : k - k0 < T_BYTES ? k - k0 : T_BYTES;
        uint8_t *tile = (uint8_t *)panel + k0 / T_BYTES * tiles * T_AREA;
        for (size_t r = 0; r < tiles * T; r++) {
            uint64_t row[T_BYTES / 8] = {0};
            if (r < rows) {
                memcpy(row, a + r * lda + k0, bytes);
                for (int i = 0; i < T_BYTES / 8; i++) /* past k this writes `flip`, against zeros of B: no harm */
                    row[i] ^= flips;
            }
            memcpy(tile + r * T_BYTES, row, sizeof row);
        }
    }
}

/* B's panel is [groups][32 columns][4]: 16 groups of 16 columns are a tile whose rows are 128 bytes apart. */
#define B_STRIDE 128

AMX static void two_by_two(int32_t *d, size_t ldd, const int32_t *init, size_t ldi, const uint8_t *a, const uint8_t *b,
                           size_t groups)
{
    _tile_loadd(0, init, ldi * 4);
    _tile_loadd(1, init + T, ldi * 4);
    _tile_loadd(2, init + T * ldi, ldi * 4);
    _tile_loadd(3, init + T * ldi + T, ldi * 4);
    for (size_t g = 0; g < groups; g += T, a += 2 * T_AREA, b += T * B_STRIDE) {
        _tile_loadd(4, a, T_BYTES);
        _tile_loadd(6, b, B_STRIDE);
        _tile_dpbusd(0, 4, 6);
        _tile_loadd(7, b + T_BYTES, B_STRIDE);
        _tile_dpbusd(1, 4, 7);
        _tile_loadd(5, a + T_AREA, T_BYTES);
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
    }
    _tile_stored(0, d, ldd * 4);
    _tile_stored(1, d + T, ldd * 4);
    _tile_stored(2, d + T * ldd, ldd * 4);
    _tile_stored(3, d + T * ldd + T, ldd * 4);
}

/* 16 rows: a second pair of accumulators takes every other step, so that a product need not wait for the one before. */
AMX static void one_by_two(int32_t *d, size_t ldd, const int32_t *init, size_t ldi, const uint8_t *a, const uint8_t *b,
                           size_t groups)
{
    int32_t odd[T][2 * T];
    _tile_loadd(0, init, ldi * 4);
    _tile_loadd(1, init + T, ldi * 4);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t g = 0; g < groups; g += T, a += T_AREA, b += T * B_STRIDE) {
        _tile_loadd(4, a, T_BYTES);
        _tile_loadd(6, b, B_STRIDE);
        _tile_dpbusd(0, 4, 6);
        _tile_loadd(7, b + T_BYTES, B_STRIDE);
        _tile_dpbusd(1, 4, 7);
        if ((g += T) >= groups)
            break;
        a += T_AREA;
        b += T * B_STRIDE;
        _tile_loadd(4, a, T_BYTES);
        _tile_loadd(6, b, B_STRIDE);
        _tile_dpbusd(2, 4, 6);
        _tile_loadd(7, b + T_BYTES, B_STRIDE);
        _tile_dpbusd(3, 4, 7);
    }
    _tile_stored(0, d, ldd * 4);
    _tile_stored(1, d + T, ldd * 4);
    _tile_stored(2, odd, sizeof odd[0]);
    _tile_stored(3, odd[0] + T, sizeof odd[0]);
    for (size_t r = 0; r < T; r++)
        for (size_t c = 0; c < 2 * T; c++)
            d[r * ldd + c] = (int32_t)((uint32_t)d[r * ldd + c] + (uint32_t)odd[r][c]);
}

static void kernel(int32_t *d, size_t ldd, const int32_t *init, size_t ldi, const int32_t *row, const void *a,
                   const void *b, size_t rows, size_t groups)
{
    int32_t start[2 * T][2 * T]; /* a tile load can repeat a row, not add to it */
    if (row) {
        for (size_t r = 0; r < (rows + T - 1) / T * T; r++)
            for (size_t c = 0; c < 2 * T; c++)
                start[r][c] = (int32_t)((uint32_t)init[r * ldi + c] + (r < rows ? (uint32_t)row[r] : 0));
        init = start[0];
        ldi = 2 * T;
    }
    (rows > T ? two_by_two : one_by_two)(d, ldd, init, ldi, a, b, groups);
}

const tn_i8_variant tn_i8_amx = {
    .name = "amx",
    .needs = TN_CPU_AVX2 | TN_CPU_AVX512_VNNI | TN_CPU_AMX_INT8,
    .layout = TN_I8_K4N32,
    .a_form = TN_I8_A_U8,
    .mr = 32,
    .row_unit = 16,
    .narrow_rows = 4, /* issue 6's trial: 145 against 162 us; not yet repeated with this code */
    .narrow = &tn_i8_avx512vnni,
    .pack_a = pack_a_tiles,
    .kernel = kernel,
    .finish = tn_finish_avx2,
    .enter = enter,
    .leave = leave,
    .a_block = 1 << 20,
    .macs_per_ns = 1800,
    .bytes_per_ns = 28,
};
