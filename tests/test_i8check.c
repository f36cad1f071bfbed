/* SPDX-License-Identifier: MIT */
/* Arguments that may not be: each is refused with its own error, and nothing is written. Degenerate ones that may. */
#include <criterion/criterion.h>

#include "i8_support.h"

#include <errno.h>
#include <math.h>

static uint8_t a_data[64], b_data[64], zeros[8];
static int32_t c_data[64], bias_data[8];
static float scales[8] = {1, 1, 1, 1, 1, 1, 1, 1};

static tenure_i8_args good(int c_type)
{
    return (tenure_i8_args){.size = sizeof(tenure_i8_args), .m = 4, .n = 5, .k = 6, .a = a_data, .b = b_data,
                            .c = c_data, .c_type = c_type, .a_zero = zeros, .b_zero = zeros, .bias = bias_data,
                            .scale = c_type ? scales : NULL};
}

/* One change to good arguments gives `error`, and leaves plan and results as they were. */
#define REFUSED(C_TYPE, ERROR, CHANGE)                                                                                 \
    do {                                                                                                               \
        tenure_i8_args x = good(C_TYPE);                                                                               \
        tn_i8_plan plan, before;                                                                                          \
        cr_assert_eq(tn_i8_plan_make(&plan, &x, 2, 0, NULL), 0);                                                       \
        memset(&plan, 0x5a, sizeof plan);                                                                              \
        before = plan;                                                                                                 \
        CHANGE;                                                                                                        \
        cr_assert_eq(tn_i8_plan_make(&plan, &x, 2, 0, NULL), ERROR, #CHANGE);                                          \
        cr_assert_eq(memcmp(&plan, &before, sizeof plan), 0, #CHANGE);                                                 \
    } while (0)

Test(i8check, shapes)
{
    REFUSED(0, -EINVAL, x.size = 8);
    REFUSED(0, -EINVAL, x.m = -1);
    REFUSED(0, -EINVAL, x.n = -1);
    REFUSED(0, -EINVAL, x.k = -1);
    REFUSED(0, -EINVAL, x.batch = -1);
    REFUSED(0, -EINVAL, x.lda = 5);
    REFUSED(0, -EINVAL, x.ldb = 4);
    REFUSED(0, -EINVAL, x.ldc = 4);
    REFUSED(0, -EINVAL, x.lda = -6);
    REFUSED(0, -EINVAL, x.flags = TENURE_I8_B_TRANSPOSED; x.ldb = 5);
    REFUSED(0, -EINVAL, x.batch = 2; x.stride_a = -1; x.stride_c = 20);
    REFUSED(0, -EINVAL, x.batch = 2; x.stride_c = 0);
    REFUSED(0, -EINVAL, x.batch = 2; x.stride_c = 19);
    REFUSED(0, -EINVAL, x.flags = 64);
    REFUSED(0, -EINVAL, x.a_signed = 2);
    REFUSED(0, -EINVAL, x.c_type = 3);
}

Test(i8check, overflow)
{
    REFUSED(0, -EOVERFLOW, x.m = INT64_MAX / 2; x.k = 4);
    REFUSED(0, -EOVERFLOW, x.lda = INT64_MAX / 2);
    REFUSED(0, -EOVERFLOW, x.ldc = INT64_MAX / 8);
    REFUSED(0, -EOVERFLOW, x.n = INT64_MAX / 2; x.m = 1);
    REFUSED(0, -EOVERFLOW, x.k = INT64_MAX; x.n = 2);
    REFUSED(0, -EOVERFLOW, x.batch = INT64_MAX; x.stride_c = 1 << 20);
    REFUSED(0, -EOVERFLOW, x.c = (void *)(UINTPTR_MAX - 15));
}

Test(i8check, pointers)
{
    REFUSED(0, -EINVAL, x.a = NULL);
    REFUSED(0, -EINVAL, x.b = NULL);
    REFUSED(0, -EINVAL, x.c = NULL);
    REFUSED(0, -EINVAL, x.c = a_data);
    REFUSED(0, -EINVAL, x.c = b_data);
    REFUSED(0, -EINVAL, x.b = (uint8_t *)c_data + 79);
    REFUSED(0, -EINVAL, x.c = c_data + 6; x.a = (uint8_t *)c_data + 1);
    REFUSED(0, -EINVAL, x.bias = c_data + 19);
    REFUSED(0, -EINVAL, x.a_zero = c_data);
    REFUSED(1, -EINVAL, x.scale = (const float *)(const void *)(c_data + 4));
    cr_assert_eq(tn_i8_plan_make(&(tn_i8_plan){0}, NULL, 1, 0, NULL), -EINVAL);
}

Test(i8check, output)
{
    REFUSED(0, -EINVAL, x.scale = scales);
    REFUSED(0, -EINVAL, x.c_zero = 1);
    REFUSED(0, -EINVAL, x.flags = TENURE_I8_RELU);
    REFUSED(1, -EINVAL, x.scale = NULL);
    REFUSED(1, -EINVAL, x.c_zero = 256);
    REFUSED(1, -EINVAL, x.c_zero = -1);
    REFUSED(2, -EINVAL, x.c_zero = 128);
    REFUSED(1, -EINVAL, x.flags = TENURE_I8_CLAMP; x.clamp_lo = 9; x.clamp_hi = 8);
    REFUSED(1, -EINVAL, x.flags = TENURE_I8_CLAMP; x.clamp_hi = 256);
    static float bad[5] = {1, 1, 1, 1, 1};
    const float worst[] = {NAN, -NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++) {
        bad[0] = worst[i];
        REFUSED(1, -EINVAL, x.scale = bad);
        bad[0] = 1;
        bad[4] = worst[i];
        REFUSED(1, -EINVAL, x.scale = bad; x.flags = TENURE_I8_SCALE_PER_COLUMN);
    }
}

Test(i8check, packed)
{
    tenure_i8_args args = good(0);
    tn_i8_plan p;
    cr_assert_eq(tn_i8_plan_make(&p, &args, 1, 0, NULL), 0);
    tn_i8_packed *block = i8_memory(p.pack_bytes);
    tn_i8_plan_pack(&p, block, 0, 1);
    REFUSED(0, -EINVAL, x.packed = block; x.k = 5);
    REFUSED(0, -EINVAL, x.packed = block; x.n = 4);
    REFUSED(0, -EINVAL, x.packed = block; x.b_signed = 1);
    REFUSED(0, -EINVAL, x.packed = (char *)block + 8);
    REFUSED(0, -EINVAL, x.packed = block; x.c = block);
    args.packed = block;
    args.b = NULL;
    cr_assert_eq(tn_i8_plan_make(&p, &args, 1, 0, NULL), 0);
    cr_assert_eq(p.pack_bytes, 0);
    free(block);
}

/* No rows or no columns: nothing to do, no pointer needed. No depth: C is what is left of the sum. */
Test(i8check, degenerate)
{
    tn_i8_plan p;
    tenure_i8_args none = {.size = sizeof none, .n = 5, .k = 6, .b = b_data};
    cr_assert_eq(tn_i8_plan_make(&p, &none, 2, 0, NULL), 0);
    cr_assert_eq(p.parts, 0);
    cr_assert_eq(p.pack_bytes, 0);
    none = (tenure_i8_args){.size = sizeof none, .m = 5, .k = 6, .a = a_data};
    cr_assert_eq(tn_i8_plan_make(&p, &none, 2, 0, NULL), 0);
    cr_assert_eq(p.parts, 0);
    for (int i = 0; i < 5; i++)
        bias_data[i] = i - 2;
    tenure_i8_args shallow = good(0);
    shallow.k = 0;
    shallow.a = shallow.b = NULL;
    memset(zeros, 77, sizeof zeros);
    for (const tn_i8_variant *const *v = tn_i8_variants; *v; v++)
        if (tn_i8_variant_usable(*v)) {
            memset(c_data, 0x77, sizeof c_data);
            cr_assert_eq(i8_run(&shallow, 2, *v), 0);
            for (int i = 0; i < 20; i++)
                cr_assert_eq(c_data[i], i % 5 - 2, "%s", (*v)->name);
            cr_assert_eq(c_data[20], 0x77777777);
        }
}
