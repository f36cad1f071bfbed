/* SPDX-License-Identifier: MIT */
/* Device memory routines, on the host and on devices that are not there. */
#include "conform.h"

static void rect(int dims, int dst, int src)
{
    size_t volume[] = {2, 1, 2}, at[] = {0, 1, 1}, from[] = {1, 0, 0}, shape[] = {3, 3, 3};
    int a[27] = {0}, b[27];

    for (int i = 0; i < 27; i++)
        b[i] = i + 1;
    printf("rect %d %d %d: %d:", dims, dst, src,
           omp_target_memcpy_rect(a, b, sizeof *a, dims, volume, at, from, shape, shape, dst, src));
    for (int i = 0; i < 27; i++)
        printf(" %d", a[i]);
    printf(" %d\n", omp_target_memcpy_rect(NULL, NULL, 4, dims, volume, at, from, shape, shape, dst, src));
}

int main(void)
{
    int host = omp_get_initial_device();

    for (int device = host; device < host + 8; device += 4) {
        int x = 3, y = 5, *p = omp_target_alloc(4 * sizeof *p, device);

        printf("device %d: alloc %d present %d %d\n", device, p != NULL, omp_target_is_present(&x, device),
               omp_target_is_present(NULL, device));
        printf("to %d", omp_target_memcpy(&y, &x, sizeof x, 0, 0, device, host));
        printf(" from %d", omp_target_memcpy(&y, &x, sizeof x, 0, 0, host, device));
        printf(" y %d\n", y);
        printf("associate %d %d\n", omp_target_associate_ptr(&x, &y, sizeof x, 0, device),
               omp_target_disassociate_ptr(&x, device));
        omp_target_free(p, device);
        for (int dims = 0; dims <= 3; dims++)
            rect(dims, device, host);
        omp_set_default_device(device);
        y = -1;
#pragma omp target device(device) map(from : y)
        y = omp_is_initial_device();
        printf("region %d\n", y);
#pragma omp target map(from : y)
        y = omp_get_default_device();
        printf("default inside %d, outside %d\n", y, omp_get_default_device());
    }
    int p[4] = {1, 2, 3, 4}, q[4] = {0};
    CHECK(omp_target_memcpy(q, p, 2 * sizeof *p, sizeof *p, 2 * sizeof *p, host, host) == 0);
    printf("%d %d %d %d\n", q[0], q[1], q[2], q[3]);
    return conform_end();
}
