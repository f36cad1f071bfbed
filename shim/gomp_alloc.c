/* SPDX-License-Identifier: MIT */
/* Which allocatable variables of Fortran programs hold memory of omp_alloc (allocate directive, GCC 14): compiled code enters
 * an address when it has allocated there, and asks, before it frees or reallocates, which of the two free routines to call.
 * Any thread. Invariant: an address is in the table from GOMP_add_alloc to the GOMP_is_alloc that finds it. */
#include <stdlib.h>

#include "base.h"
#include "lock.h"
#include "msg.h"
#include "omp_abi.h"

enum { BUCKETS = 1024 };

struct known {
    struct known *next;
    void *ptr;
};

static struct {
    struct tn_lock lock;
    struct known *bucket[BUCKETS];
} table;

static struct known **bucket_of(void *ptr)
{
    return &table.bucket[((uintptr_t)ptr >> 4) * 2654435761u >> 8 & (BUCKETS - 1)];
}

void GOMP_add_alloc(void *ptr)
{
    struct known *k = malloc(sizeof *k), **b = bucket_of(ptr);
    if (!k)
        tn_fatal("out of memory for the record of an allocatable variable");
    tn_lock_acquire(&table.lock);
    *k = (struct known){.next = *b, .ptr = ptr};
    *b = k;
    tn_lock_release(&table.lock);
}

int GOMP_is_alloc(void *ptr)
{
    struct known *k, **at = bucket_of(ptr);
    tn_lock_acquire(&table.lock);
    while ((k = *at) && k->ptr != ptr)
        at = &k->next;
    if (k)
        *at = k->next;
    tn_lock_release(&table.lock);
    bool found = k != NULL;
    free(k);
    return found;
}
