/* SPDX-License-Identifier: MIT */
/* Requantisation: ties, saturation, clamps, and every scale a float can be, against the C library's rounding. */
#include <criterion/criterion.h>

#include "i8_support.h"

#include <fenv.h>
#include <math.h>

static int by_libm(int32_t acc, float scale, int lo, int hi, int zero)
{
    const float x = acc * scale;
    const double y = rint((double)x) + zero;
    return y < lo ? lo : y > hi ? hi : (int)y;
}

/* One row of 32 accumulators through a finish. */
static void check_row(void (*finish)(const tn_i8_tile *), const int32_t *acc, const float *scale, int lo, int hi, int zero)
{
    static tn_i8_columns col;
    uint8_t c[32 + 1];
    c[32] = 0xa5;
    memcpy(col.scale, scale, sizeof col.scale);
    const tn_i8_tile t = {.acc = acc, .ld = 32, .rows = 1, .cols = 32, .col = &col, .c = c, .ldc = 32, .narrow = 1,
                          .c_zero = zero, .lo = (float)(lo - zero), .hi = (float)(hi - zero)};
    finish(&t);
    for (int i = 0; i < 32; i++)
        cr_assert_eq(c[i], (uint8_t)by_libm(acc[i], scale[i], lo, hi, zero), "acc %d scale %a [%d, %d] zero %d: %d",
                     acc[i], (double)scale[i], lo, hi, zero, c[i]);
    cr_assert_eq(c[32], 0xa5);
}

static void check_finish(void (*finish)(const tn_i8_tile *))
{
    int32_t acc[32];
    float scale[32];
    for (int zero = 0; zero <= 255; zero += 51)
        for (int base = -600; base <= 600; base += 32) { /* scale 1/2: every other one is a tie */
            for (int i = 0; i < 32; i++) {
                acc[i] = base + i;
                scale[i] = 0.5f;
            }
            check_row(finish, acc, scale, 0, 255, zero);
            check_row(finish, acc, scale, -128, 127, zero - 128);
            check_row(finish, acc, scale, 10, 10 + zero / 2, zero);
        }
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 32; i++) {
            uint32_t bits = i8_random();
            acc[i] = (int32_t)i8_random() >> (i8_random() % 32);
            if (round & 1) /* any finite float, infinite products and denormals among them */
                bits &= (bits & 0x7f800000u) == 0x7f800000u ? 0xbfffffffu : ~0u;
            else
                bits = (bits & 0x007fffffu) | (127u - i8_random() % 32) << 23;
            memcpy(&scale[i], &bits, 4);
        }
        check_row(finish, acc, scale, 0, 255, (int)(i8_random() % 256));
    }
}

Test(requant, baseline)
{
    check_finish(tn_finish_baseline);
}

Test(requant, variants)
{
    for (const tn_i8_variant *const *v = tn_i8_variants; *v; v++)
        if (tn_i8_variant_usable(*v))
            check_finish((*v)->finish);
}

Test(requant, ends)
{
    static const int32_t acc[32] = {INT32_MIN, INT32_MAX, 0, 1, -1, INT32_MIN + 1, 16777217, -16777217};
    static const float scales[] = {0, 1, -1, 3e38f, -3e38f, 1e-45f, 1.17549435e-38f, 0.0000001f};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        float scale[32];
        for (int i = 0; i < 32; i++)
            scale[i] = scales[s];
        check_row(tn_finish_baseline, acc, scale, -128, 127, -128);
        check_row(tn_finish_baseline, acc, scale, 0, 255, 255);
    }
}
