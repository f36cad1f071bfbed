/* SPDX-License-Identifier: MIT */
/* OMP_TARGET_OFFLOAD=mandatory: a device routine with a device that is not there ends the program; on the host it works. Each call is in
 * a process of its own. */
#define _GNU_SOURCE
#include "conform.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(int which, int device)
{
    static int a[4], b[4], host;
    const size_t one[] = {1}, none[] = {0}, four[] = {4};

    host = omp_get_initial_device();
    switch (which) {
    case 0: free(omp_target_alloc(8, device)); break;
    case 1: omp_target_free(device == host ? malloc(8) : a, device); break;
    case 2: omp_target_is_present(a, device); break;
    case 3: omp_target_memcpy(a, b, 4, 0, 0, device, host); break;
    case 4: omp_target_memcpy(a, b, 4, 0, 0, host, device); break;
    case 5: omp_target_memcpy_rect(a, b, 4, 1, one, none, none, four, four, device, host); break;
    case 6: omp_target_associate_ptr(a, b, 4, 0, device); break;
    case 7: omp_target_disassociate_ptr(a, device); break;
    default: {
#pragma omp target device(device) map(tofrom : a)
        a[0]++;
    }
    }
}

int main(void)
{
    if (!getenv("OMP_TARGET_OFFLOAD")) {
        setenv("OMP_TARGET_OFFLOAD", "mandatory", 1);
        execl("/proc/self/exe", "target_mandatory", (char *)NULL);
        return 99;
    }
    for (int which = 0; which < 9; which++) {
        printf("%d:", which);
        for (int device = omp_get_initial_device(); device < 9; device += 8) {
            int status;
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) {
                dup2(open("/dev/null", O_WRONLY), 2);
                call(which, device);
                _exit(0);
            }
            waitpid(child, &status, 0);
            printf(" %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        }
        printf("\n");
    }
    return 0;
}
