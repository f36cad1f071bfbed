/* SPDX-License-Identifier: MIT */
/* What happens when the library is loaded. In a process that uses no OpenMP: one system call, nothing said, nothing opened.
 * Where OpenMP is seen to be used (libgomp is in the process, or the program is linked to us) the environment is read at
 * once, as libgomp would; else at the first use, since a plugin that brings OpenMP may come after changes to it.
 *
 * The constructor runs before all others (-z initfirst), so before libgomp's, and before the C library's: `environ` may not
 * be there yet. */
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "display.h"
#include "env.h"
#include "icv.h"
#include "interpose.h"
#include "places.h"
#include "real.h"
#include "topo.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden"))); /* the linker's: where we are mapped */

static char **start_env;
static const char *own_path = "";
static bool other_libgomp; /* one that is not us is in the process */

static char *env_get(char **env, const char *name)
{
    size_t n = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    if (info->dlpi_addr == (ElfW(Addr))__ehdr_start)
        own_path = info->dlpi_name;
    else if (tn_real_named(info->dlpi_name))
        other_libgomp = true;
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* tn_global_fill: the first use of OpenMP. */
static void fill(void)
{
    dl_iterate_phdr(look_at, NULL);
    bool quiet = other_libgomp; /* it has spoken */
    tn_env_read(environ ? environ : start_env, quiet);
    tn_affinity_show = tn_display_member;
    tn_interpose_start();
    if (tn_env_display_wanted && !quiet)
        tn_env_display(tn_env_display_wanted == 2);
}

/* Takes the words equal to the `length` bytes of `word` (by their last component if `by_base`) out of a list as LD_PRELOAD has
 * it, in place. */
static void list_remove(char *list, const char *word, size_t length, bool by_base)
{
    char *to = list;
    for (char *from = list; *from;) {
        size_t n = strcspn(from, ": "), skip = 0;
        if (by_base)
            for (size_t i = 0; i < n; i++)
                skip = from[i] == '/' ? i + 1 : skip;
        bool hit = n - skip == length && strncmp(from + skip, word, length) == 0;
        char separator = from[n];
        if (!hit && n > 0) {
            if (to != list)
                *to++ = ':';
            memmove(to, from, n);
            to += n;
        }
        from += n + (separator != '\0');
    }
    *to = '\0';
}

/* TENURE_CHILDREN=no: programs started from here shall not have us. Changes the strings themselves, which a program that
 * keeps the environment in its own way (a shell) has yet to copy. */
static void leave_environment(char **env)
{
    const char *value = env_get(env, "TENURE_CHILDREN");
    bool children = true;
    if (!value || !tn_env_switch(value, &children) || children)
        return;
    char *preload = env_get(env, "LD_PRELOAD"), *path = env_get(env, "LD_LIBRARY_PATH");
    if (preload)
        list_remove(preload, base_name(own_path), strlen(base_name(own_path)), true);
    size_t n = (size_t)(base_name(own_path) - own_path);
    if (path && n > 1 && tn_real_named(own_path))
        list_remove(path, own_path, n - 1, false);
}

__attribute__((constructor)) static void start(int argc, char **argv, char **env)
{
    (void)argc;
    (void)argv;
    start_env = env;
    dl_iterate_phdr(look_at, NULL);
    tn_global_fill = fill;
    tn_topo_start();
    if (getauxval(AT_SECURE))
        return;
    char **now = environ ? environ : env;
    const char *preload = env_get(now, "LD_PRELOAD");
    bool preloaded = preload && strstr(preload, base_name(own_path));
    tn_global.preloaded = preloaded;
    leave_environment(now); /* changes *preload */
    if (!preloaded || tn_real_named(own_path) || other_libgomp)
        tn_global_need();
}
