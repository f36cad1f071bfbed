/* SPDX-License-Identifier: MIT */
/* Every variant of the table that this processor can run equals the definition, bit for bit. Those it cannot are named
 * on standard error and skipped here; test_i8emul.c proves their logic. */
#include <criterion/criterion.h>

#include "i8_support.h"

static void each(void (*cases)(const tn_i8_variant *))
{
    for (const tn_i8_variant *const *v = tn_i8_variants; *v; v++)
        if (tn_i8_variant_usable(*v))
            cases(*v);
        else
            fprintf(stderr, "SKIPPED: variant %s needs a processor this is not; its logic is run by test_i8emul\n",
                    (*v)->name);
}

static void deep(const tn_i8_variant *v)
{
    i8_deep(v, 66000);
}

Test(i8gemm, edges)
{
    each(i8_edges);
}

Test(i8gemm, types)
{
    each(i8_types);
}

Test(i8gemm, deep)
{
    each(deep);
}

Test(i8gemm, splits)
{
    each(i8_splits);
}

static void random_cases(const tn_i8_variant *v)
{
    for (int i = 0; i < 300; i++) {
        const unsigned r = i8_random();
        if (i8_left_out(4))
            continue;
        I8_TRY(v, .m = (int)(i8_random() % 150), .n = (int)(i8_random() % 200), .k = (int)(i8_random() % 300),
               .a_signed = r & 1, .b_signed = r >> 1 & 1, .flags = r >> 2 & 3, .zeros = (int)(r >> 4) % 3,
               .pad = (int)(r >> 8) % 9, .width = 1 + (r >> 12) % 9, .packed = r >> 16 & 1, .bias = r >> 17 & 1,
               .fill = (enum i8_fill)((r >> 18) % 3), .c_type = (int)(r >> 20) % 3);
    }
}

Test(i8gemm, random)
{
    each(random_cases);
}

/* Every part has rows and columns whenever there are enough tiles, and the parts are as many as asked. */
Test(i8gemm, work_for_all)
{
    static uint8_t a[512 * 64], b[64 * 2048];
    static int32_t c[512 * 2048];
    for (int m = 1; m <= 512; m *= 2)
        for (unsigned width = 2; width <= 16; width *= 2) {
            tenure_i8_args args = {.size = sizeof args, .m = m, .n = 2048, .k = 64, .a = a, .b = b, .c = c};
            tn_i8_plan p;
            cr_assert_eq(tn_i8_plan_make(&p, &args, width, 0, &tn_i8_portable), 0);
            cr_assert_eq(p.parts, width, "m %d width %u: %u parts", m, width, p.parts);
        }
}

/* A product that costs less than starting threads is not split; one that costs far more is. */
Test(i8gemm, serial_cutover)
{
    static uint8_t a[256 * 1024], b[1024 * 1024];
    static int32_t c[256 * 1024];
    tenure_i8_args args = {.size = sizeof args, .m = 1, .n = 64, .k = 64, .a = a, .b = b, .c = c};
    tn_i8_plan p;
    cr_assert_eq(tn_i8_plan_make(&p, &args, 4, 50000, NULL), 0);
    cr_assert_eq(p.parts, 1);
    args.m = 256;
    args.n = args.k = 1024;
    cr_assert_eq(tn_i8_plan_make(&p, &args, 4, 1000, NULL), 0);
    cr_assert_eq(p.parts, 4);
}

/* The instruction that AVX2 does not get to use: two products of 255 x 127 saturate in 16 bits. */
Test(i8gemm, no_saturation)
{
    uint8_t a[8];
    int8_t b[8];
    int32_t c = 0;
    memset(a, 255, sizeof a);
    memset(b, 127, sizeof b);
    tenure_i8_args args = {.size = sizeof args, .m = 1, .n = 1, .k = 8, .a = a, .b = b, .b_signed = 1, .c = &c};
    for (const tn_i8_variant *const *v = tn_i8_variants; *v; v++)
        if (tn_i8_variant_usable(*v)) {
            cr_assert_eq(i8_run(&args, 1, *v), 0);
            cr_assert_eq(c, 8 * 255 * 127, "%s", (*v)->name);
        }
}
