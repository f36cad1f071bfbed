/* SPDX-License-Identifier: MIT */
/* A plugin that brings its own copy of libgomp under another soname, as Python wheels do, in a program that uses
 * OpenMP itself; each calls the other from inside a region.
 * conform: plugin copy
 */
#include <dlfcn.h>
#include <unistd.h>

#include "conform.h"

#ifdef PLUGIN
int plugin_team(int width, int (*inner)(void));
int plugin_team(int width, int (*inner)(void))
{
    int n = 0;
#pragma omp parallel num_threads(width) reduction(+ : n)
    {
        n += inner();
#pragma omp barrier
#pragma omp critical
        n += omp_get_num_threads() == width;
    }
    return n;
}
#else
static int inner(void)
{
    int n = 0;
#pragma omp parallel for num_threads(2) reduction(+ : n)
    for (int i = 0; i < 10; i++)
        n++;
    return n;
}

int main(void)
{
    int (*team)(int, int (*)(void)), total = 0;
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);
    void *plugin;

    strcpy(path + length, ".so");
    plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin)
        puts(dlerror());
    CHECK(plugin != NULL);
    if (plugin) {
        *(void **)&team = dlsym(plugin, "plugin_team");
        for (int round = 0; round < 20; round++) {
            CHECK(inner() == 10);
            CHECK(team(3, inner) == 33);
        }
#pragma omp parallel num_threads(2) reduction(+ : total)
        total += team(2, inner);
        printf("nested %d\n", total);
    }
    return conform_end();
}
#endif
