/* SPDX-License-Identifier: MIT */
/* Finding the real libgomp: among the objects that are loaded, by file name (wheels rename it: libgomp-a34b3233.so.1), and
 * never ourselves under that name. Any thread. Nothing is ever loaded for it.
 *
 * Invariant: a handle, once found, stays (we hold a reference), so what was looked up in it stays valid. */
#include "real.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static _Atomic(void *) handle;
static _Atomic unsigned long long looked_at; /* number of objects ever loaded when nothing was found */

struct look {
    unsigned long long adds;
    char *name;
};

static bool contains(const struct dl_phdr_info *info, const void *address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && (uintptr_t)address - low < p->p_memsz)
            return true;
    }
    return false;
}

bool tn_real_named(const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    return strncmp(base, "libgomp", 7) == 0 && (base[7] == '.' || base[7] == '-') && strncmp(base, "libgomp-plugin", 14) != 0;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct look *l = arg;
    (void)size;
    l->adds = info->dlpi_adds;
    if (l->adds == tn_load(&looked_at))
        return 1; /* nothing new since we looked in vain */
    if (!tn_real_named(info->dlpi_name) || contains(info, &handle))
        return 0;
    l->name = strdup(info->dlpi_name); /* dlopen must not be called from here */
    return 1;
}

/* NULL: there is none at present. */
static void *real_libgomp(void)
{
    void *h = tn_load_acq(&handle);
    if (h)
        return h;
    struct look l = {0};
    dl_iterate_phdr(look_at, &l);
    if (l.name) {
        h = dlopen(l.name, RTLD_LAZY | RTLD_NOLOAD);
        free(l.name);
        tn_store_rel(&handle, h);
    } else {
        tn_store(&looked_at, l.adds);
    }
    return h;
}

void *tn_real_find_slow(struct tn_real *r)
{
    void *h = real_libgomp();
    void *p = h ? dlvsym(h, r->name, r->version) : NULL;
    Dl_info where, self;
    if (p && dladdr(p, &where) && dladdr(&handle, &self) && where.dli_fbase == self.dli_fbase)
        p = NULL; /* the handle's own dependencies led back to us */
    if (p)
        tn_store(&r->found, p);
    return p;
}

int tn_real_devices(void)
{
    static struct tn_real count = {.name = "omp_get_num_devices", .version = "OMP_4.0"};
    int (*f)(void) = (int (*)(void))tn_real_find(&count);
    return f ? f() : 0;
}
