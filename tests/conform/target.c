/* SPDX-License-Identifier: MIT */
/* target without a device runs on the host: data, map, update, enter and exit, nowait with depend, teams inside, the
 * memory routines. A region inside it is an ordinary one. */
#include "conform.h"

int main(void)
{
    int a[64] = {0}, sum = 0, on_host = 0, threads = 0, x = 0;
    int host = omp_get_initial_device();

    CHECK(omp_get_num_devices() == 0 && omp_get_device_num() == host);
#pragma omp target map(tofrom : a, on_host, threads)
    {
        on_host = omp_is_initial_device();
#pragma omp parallel for num_threads(3) reduction(+ : threads) schedule(dynamic)
        for (int i = 0; i < 64; i++) {
            a[i] = i;
            threads++;
        }
    }
    CHECK(on_host && threads == 64);
#pragma omp target data map(to : a) map(from : sum)
    {
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : sum) reduction(+ : sum)
        for (int i = 0; i < 64; i++)
            sum += a[i];
#pragma omp target update from(sum)
    }
    CHECK(sum == 2016);
#pragma omp target enter data map(to : a)
#pragma omp target exit data map(from : a)
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait depend(out : x) map(tofrom : x)
        x = 5;
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp target depend(in : x) map(tofrom : x)
        x *= 2;
#pragma omp taskwait
    }
    CHECK(x == 12);
    void *p = omp_target_alloc(100, host);
    CHECK(p && omp_target_memcpy(p, a, sizeof(int) * 8, 0, 0, host, host) == 0 && ((int *)p)[7] == 7);
    CHECK(omp_target_is_present(a, host));
    omp_target_free(p, host);
    return conform_end();
}
