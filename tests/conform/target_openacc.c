/* SPDX-License-Identifier: MIT */
/* OpenACC without an accelerator: constructs and routines on the host.
 * conform: flags -fopenacc
 */
#include <openacc.h>

#include "conform.h"

static int constructs(int n)
{
    int x = n, a[10] = {0}, s = 0;

#pragma acc parallel loop copy(a) firstprivate(x) num_gangs(4) num_workers(2) vector_length(32) async(2)
    for (int i = 0; i < 10; i++)
        a[i] = i + x;
#pragma acc wait(2)
#pragma acc parallel loop copy(a) async(3) wait(1, 2, 4)
    for (int i = 0; i < 10; i++)
        a[i] += i;
#pragma acc wait
#pragma acc kernels copy(a)
    for (int i = 0; i < 10; i++)
        a[i] *= 2;
#pragma acc serial copy(a) if (n > 100)
    a[0] = 99;
#pragma acc data copyin(a)
    {
#pragma acc update self(a) async(1) wait(2, 3)
#pragma acc wait(1) async(2)
#pragma acc parallel present(a)
        a[1]++;
    }
#pragma acc enter data copyin(a) async(1) wait(1)
#pragma acc exit data delete (a) finalize
#pragma acc host_data use_device(a)
    a[2]++;
    for (int i = 0; i < 10; i++)
        s += a[i];
    return s;
}

int main(void)
{
    int x = 5, y = 0, *p;
    void *at = &x;

    printf("devices %d %d %d %d\n", acc_get_num_devices(acc_device_host), acc_get_num_devices(acc_device_default),
           acc_get_num_devices(acc_device_not_host), acc_get_num_devices(acc_device_nvidia));
    acc_init(acc_device_host);
    acc_set_device_num(0, acc_device_host);
    printf("type %d number %d on host %d other %d\n", acc_get_device_type(), acc_get_device_num(acc_device_host),
           acc_on_device(acc_device_host), acc_on_device(acc_device_not_host));
    CHECK(acc_copyin(&x, 4) == &x && acc_create(&x, 4) == &x && acc_present_or_copyin(&x, 4) == &x);
    CHECK(acc_present_or_create(&x, 4) == &x && acc_pcopyin(&x, 4) == &x && acc_deviceptr(&x) == &x);
    CHECK(acc_hostptr(&x) == &x && acc_is_present(&x, 4) && !acc_is_present(NULL, 4));
    acc_copyin_async(&x, 4, 1);
    acc_update_device(&x, 4);
    acc_update_self_async(&x, 4, 1);
    acc_copyout(&x, 4);
    acc_delete(&x, 4);
    acc_copyout_finalize_async(&x, 4, 1);
    p = acc_malloc(100);
    acc_memcpy_to_device(p, &x, 4);
    acc_memcpy_from_device(&y, p, 4);
    acc_memcpy_to_device_async(p, &y, 4, 1);
    acc_free(p);
    acc_attach(&at);
    acc_detach_finalize(&at);
    printf("y %d queues %d %d\n", y, acc_async_test(1), acc_async_test_all());
    acc_wait(1);
    acc_wait_async(1, 2);
    acc_wait_all();
    acc_wait_all_async(1);
    printf("cuda %p %p %p %d\n", acc_get_current_cuda_device(), acc_get_current_cuda_context(), acc_get_cuda_stream(1),
           acc_set_cuda_stream(1, &x));
    printf("'%s' '%s' '%s' %zu\n", acc_get_property_string(0, acc_device_host, acc_property_name),
           acc_get_property_string(0, acc_device_host, acc_property_vendor),
           acc_get_property_string(0, acc_device_host, acc_property_driver),
           acc_get_property(0, acc_device_host, acc_property_memory));
    printf("%d\n", constructs(3));
    acc_shutdown(acc_device_host);
    return conform_end();
}
