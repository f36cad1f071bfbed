/* SPDX-License-Identifier: MIT */
/* Packed handles: what is in them is where variants.h says; written, mapped and repacked they give the same results;
 * damaged ones are refused before anything is read through them. */
#include <criterion/criterion.h>

#include "i8_support.h"

#include <errno.h>

enum { K = 37, N = 53 };

static void *pack(unsigned layout, const uint8_t *b, bool is_signed, bool transposed, unsigned parts)
{
    tn_i8_shape s;
    size_t bytes;
    cr_assert_eq(tn_i8_shape_of(layout, K, N, 1, &s, &bytes), 0);
    tn_i8_packed *block = i8_memory(bytes);
    tn_i8_pack_header(block, layout, K, N, 1, is_signed);
    const tn_i8_source from = {.b = b, .ld = transposed ? K : N, .is_signed = is_signed, .transposed = transposed};
    for (unsigned i = parts; i-- > 0;)
        tn_i8_pack_part(block, block, &from, i, parts);
    cr_assert_eq(tn_i8_packed_check(block, bytes), 0);
    return block;
}

Test(pack, layout)
{
    uint8_t *b = i8_values((size_t)K * N, 0, FILL_RANDOM, 0);
    for (unsigned layout = 1; layout < TN_I8_LAYOUTS; layout++)
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            const tn_i8_packed *block = pack(layout, b, is_signed, false, 3);
            tn_i8_shape s;
            tn_i8_shape_of(layout, K, N, 1, &s, NULL);
            for (size_t col = 0; col < s.panels * s.nr; col++) {
                int32_t sum = 0;
                const int8_t *panel = (const int8_t *)tn_i8_packed_panel(block, &s, 0, col / s.nr);
                for (size_t k = 0; k < s.panel_bytes / s.nr; k++) {
                    const int raw = k < K && col < N ? b[k * N + col] : 0;
                    const int want = k >= K || col >= N ? 0 : is_signed ? (int8_t)raw : raw - 128;
                    cr_assert_eq(panel[(k / s.kr * s.nr + col % s.nr) * s.kr + k % s.kr], want, "k %zu col %zu", k, col);
                    sum += want;
                }
                cr_assert_eq(tn_i8_packed_sums(block, &s, 0)[col], sum);
            }
            free((void *)block);
        }
    free(b);
}

Test(pack, transposed_and_parts_are_the_same)
{
    uint8_t *b = i8_values((size_t)K * N, 0, FILL_RANDOM, 0), *t = i8_memory((size_t)K * N);
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            t[j * K + k] = b[k * N + j];
    for (unsigned layout = 1; layout < TN_I8_LAYOUTS; layout++)
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            tn_i8_packed *x = pack(layout, b, is_signed, false, 1), *y = pack(layout, t, is_signed, true, 5);
            cr_assert_eq(memcmp(x, y, x->bytes), 0);
            free(x);
            free(y);
        }
    free(b);
    free(t);
}

Test(pack, repacked_is_the_same)
{
    uint8_t *b = i8_values((size_t)K * N, 0, FILL_RANDOM, 0);
    for (unsigned from = 1; from < TN_I8_LAYOUTS; from++)
        for (unsigned to = 1; to < TN_I8_LAYOUTS; to++) {
            tn_i8_packed *x = pack(from, b, false, false, 1), *want = pack(to, b, false, false, 1);
            tn_i8_packed *y = i8_memory(want->bytes);
            tn_i8_pack_header(y, to, K, N, 1, false);
            for (unsigned i = 0; i < 3; i++)
                tn_i8_repack_part(y, x, i, 3);
            cr_assert_eq(memcmp(y, want, want->bytes), 0, "%u to %u", from, to);
            free(x);
            free(y);
            free(want);
        }
    free(b);
}

Test(pack, damage_is_refused)
{
    uint8_t *b = i8_values((size_t)K * N, 0, FILL_RANDOM, 0);
    tn_i8_packed *block = pack(TN_I8_K4N16, b, true, false, 1);
    const size_t bytes = block->bytes;
    for (size_t i = 0; i < sizeof *block; i++) { /* any byte of the header */
        ((uint8_t *)block)[i] ^= 0x10;
        cr_assert_lt(tn_i8_packed_check(block, bytes), 0, "byte %zu", i);
        ((uint8_t *)block)[i] ^= 0x10;
    }
    cr_assert_eq(tn_i8_packed_check(block, bytes), 0);
    cr_assert_eq(tn_i8_packed_check(block, bytes - 1), -EINVAL);
    cr_assert_eq(tn_i8_packed_check(block, 10), -EINVAL);
    cr_assert_eq(tn_i8_packed_check(NULL, bytes), -EINVAL);
    uint8_t *moved = i8_memory(bytes + 8);
    memcpy(moved + 8, block, bytes);
    cr_assert_eq(tn_i8_packed_check(moved + 8, bytes), -EINVAL);
    block->version = 2;
    cr_assert_eq(tn_i8_packed_check(block, bytes), -ENOTSUP);
    free(moved);
    free(block);
    free(b);
}

/* A handle in any layout is used as it is, by a variant that reads it. */
Test(pack, any_layout_runs)
{
    uint8_t *a = i8_values(9 * K, 0, FILL_RANDOM, 0), *b = i8_values((size_t)K * N, 0, FILL_RANDOM, 0);
    int32_t want[9 * N], got[9 * N];
    tenure_i8_args args = {.size = sizeof args, .m = 9, .n = N, .k = K, .a = a, .b = b, .c = want}, full;
    cr_assert_eq(tn_i8_check(&args, &full), 0);
    tn_i8_ref(&full);
    args.c = got;
    for (unsigned layout = 1; layout < TN_I8_LAYOUTS; layout++) {
        memset(got, 0, sizeof got);
        args.packed = pack(layout, b, false, false, 1);
        cr_assert_eq(i8_run(&args, 2, NULL), 0);
        cr_assert_eq(memcmp(got, want, sizeof got), 0);
        free((void *)args.packed);
    }
    free(a);
    free(b);
}
