/* SPDX-License-Identifier: MIT */
/* TENURE_VERBOSE: one line at the first region that says which runtime serves it and how it got in. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"
#include "region.h"

static const char *how(void)
{
    Dl_info self;
    if (!dladdr((void *)(uintptr_t)tn_region_banner, &self) || !self.dli_fname)
        return "linked";
    if (tn_global.preloaded) /* the environment may have changed since */
        return "preloaded";
    const char *name = strrchr(self.dli_fname, '/');
    name = name ? name + 1 : self.dli_fname;
    return strncmp(name, "libgomp", 7) == 0 ? "in place of libgomp" : "linked";
}

void tn_region_banner(unsigned width)
{
    cpu_set_t set;
    char cpus[256];
    struct tn_buf b = tn_buf_init(cpus, sizeof cpus);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        tn_buf_cpus(&b, &set, sizeof set);
    tn_verbose("version " TENURE_VERSION ", pid %d, %s: first region or session, width %u, CPUs %s", (int)getpid(), how(), width, cpus);
}
