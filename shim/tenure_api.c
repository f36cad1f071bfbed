/* SPDX-License-Identifier: MIT */
/* The part of tenure.h that asks and changes nothing: presence and figures of the process. Any thread; starts nothing. */
#include <dlfcn.h>

#include "crew.h"
#include "export.h"
#include "tenure.h"

TN_EXPORT const char *tenure_version(void) { return TENURE_VERSION; }
TN_EXPORT unsigned tenure_spawned_workers(void) { return tn_workers_spawned(); }
TN_EXPORT unsigned tenure_alive_workers(void) { return tn_workers_alive(); }

/* Whom a program's GOMP_parallel reaches: the first definition in the global scope. None there (we came by dlopen without
 * RTLD_GLOBAL): nobody but our caller can reach us. */
TN_EXPORT int tenure_is_active(void)
{
    Dl_info who, self;
    void *p = dlvsym(RTLD_DEFAULT, "GOMP_parallel", "GOMP_4.0");
    return p && dladdr(p, &who) && dladdr((void *)(uintptr_t)tenure_version, &self) && who.dli_fbase == self.dli_fbase;
}
