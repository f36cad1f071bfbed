/* SPDX-License-Identifier: MIT */
/* The libgomp that Tenure stands in front of, if one is in the process: what needs its devices (target offload, OpenACC on
 * an accelerator) is handed on to it by name and version. Any thread. */
#ifndef TN_REAL_H
#define TN_REAL_H

#include "base.h"

/* A function of libgomp's, looked up once it can be found. Static storage, {name, version}. */
struct tn_real {
    const char *name, *version;
    _Atomic(void *) found;
};

TN_COLD void *tn_real_find_slow(struct tn_real *r);

/* Its address in a libgomp that is not us, or NULL. Not found is not remembered: a plugin may bring one later. */
TN_INLINE void *tn_real_find(struct tn_real *r)
{
    void *p = tn_load(&r->found);
    return tn_likely(p != NULL) ? p : tn_real_find_slow(r);
}

/* Is `path` the file of a libgomp: under its own name, or as wheels rename it (libgomp-a34b3233.so.1)? */
bool tn_real_named(const char *path);

/* Devices other than the host that the real libgomp can use; 0 without one. The first call makes it look for them, as
 * the first target construct would. */
int tn_real_devices(void);

#endif
