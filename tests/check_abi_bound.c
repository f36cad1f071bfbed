/* SPDX-License-Identifier: MIT */
/* Reads lines "name@VERSION" and says which of them this process binds to another object than argv[1]. An OpenMP
 * program, so that libgomp is in the process too, as it is for users. Status 1 if any is bound elsewhere. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char line[256];
    int names = 0, elsewhere = 0, width = 0;

    if (argc != 2)
        return 2;
#pragma omp parallel reduction(+ : width)
    width++;
    while (fgets(line, sizeof line, stdin)) {
        char *version = strchr(line, '@'), *real = NULL;
        void *address;
        Dl_info info;

        line[strcspn(line, "\n")] = '\0';
        if (!version)
            continue;
        *version++ = '\0';
        names++;
        address = dlvsym(RTLD_DEFAULT, line, version);
        if (address && dladdr(address, &info))
            real = realpath(info.dli_fname, NULL);
        if (!real || strcmp(real, argv[1])) {
            printf("%s@%s: bound to %s\n", line, version, real ? real : "nothing");
            elsewhere++;
        }
        free(real);
    }
    printf("%d names, %d bound elsewhere\n", names, elsewhere);
    return elsewhere || names == 0 || width != omp_get_max_threads();
}
