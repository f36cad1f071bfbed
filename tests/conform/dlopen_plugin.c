/* SPDX-License-Identifier: MIT */
/* A program whose OpenMP lies in a plugin that it opens, uses from several threads, closes and opens again.
 * conform: plugin
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "conform.h"

#ifdef PLUGIN
int plugin_team(int width);
int plugin_team(int width)
{
    int n = 0;
#pragma omp parallel num_threads(width) reduction(+ : n)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 50; i++)
            n++;
#pragma omp single
#pragma omp task
        {
        }
    }
    return n;
}
#else
static int (*team)(int);

static void *caller(void *unused)
{
    for (int i = 1; i < 30; i++)
        CHECK(team(i % 5 + 1) == 50);
    return unused;
}

int main(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);

    strcpy(path + length, ".so");
    for (int round = 0; round < 5; round++) {
        pthread_t threads[3];
        void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

        CHECK(plugin != NULL);
        if (!plugin)
            break;
        *(void **)&team = dlsym(plugin, "plugin_team");
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, caller, NULL);
        caller(NULL);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        CHECK(dlclose(plugin) == 0);
    }
    return conform_end();
}
#endif
