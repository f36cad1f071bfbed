/* SPDX-License-Identifier: MIT */
/* Queries about places and binding, in C and Fortran. Any thread, with or without a record; nothing is bound by a query. A
 * place that does not exist has no processors and leaves the caller's array alone. */
#include "icv.h"
#include "places.h"
#include "team.h"
#include "thread.h"
#include "topo.h"

#pragma GCC visibility push(default)
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int *ids);
int omp_get_place_num(void);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int *nums);
int omp_get_proc_bind(void);
#pragma GCC visibility pop

/* Where the calling thread stands. A thread without a record has the whole list, and would be bound to its first place. */
static struct tn_place_slot slot(void)
{
    tn_global_need();
    const struct tn_thread *me = tn_self();
    if (me == &tn_thread_none)
        return (struct tn_place_slot){.place = tn_places_len ? 0 : -1, .part_len = tn_places_len};
    return (struct tn_place_slot){.place = me->cur->place, .part_off = me->cur->part_off, .part_len = me->cur->part_len};
}

static bool exists(int64_t place)
{
    tn_global_need();
    return place >= 0 && place < tn_places_len;
}

int omp_get_num_places(void)
{
    tn_global_need();
    return (int)tn_places_len;
}

int omp_get_place_num(void) { return slot().place; }
int omp_get_partition_num_places(void) { return (int)slot().part_len; }

int omp_get_proc_bind(void)
{
    tn_global_need();
    return tn_self()->task->icv->bind;
}

static int place_num_procs(int64_t place)
{
    return exists(place) ? CPU_COUNT_S(tn_topo_set_size(), tn_place_set((unsigned)place)) : 0;
}

int omp_get_place_num_procs(int place) { return place_num_procs(place); }

/* The two lists, in both widths of integers. */
#define LISTS(suffix, type)                                                                 \
    static void place_ids##suffix(int64_t place, type *ids)                                 \
    {                                                                                       \
        size_t size = tn_topo_set_size();                                                   \
        for (size_t cpu = 0; exists(place) && cpu < size * 8; cpu++)                        \
            if (CPU_ISSET_S(cpu, size, tn_place_set((unsigned)place)))                      \
                *ids++ = (type)cpu;                                                         \
    }                                                                                       \
    static void partition##suffix(type *nums)                                               \
    {                                                                                       \
        struct tn_place_slot s = slot();                                                    \
        for (unsigned i = 0; i < s.part_len; i++)                                           \
            *nums++ = (type)(s.part_off + i);                                               \
    }
LISTS(, int32_t)
LISTS(_8, int64_t)

void omp_get_place_proc_ids(int place, int *ids) { place_ids(place, ids); }
void omp_get_partition_place_nums(int *nums) { partition(nums); }

#pragma GCC visibility push(default)
#define FORM(type, name, params, ...) \
    type name params;                 \
    type name params { __VA_ARGS__; }
FORM(int, omp_get_num_places_, (void), return omp_get_num_places())
FORM(int, omp_get_place_num_, (void), return omp_get_place_num())
FORM(int, omp_get_partition_num_places_, (void), return omp_get_partition_num_places())
FORM(int, omp_get_proc_bind_, (void), return omp_get_proc_bind())
FORM(int, omp_get_place_num_procs_, (const int32_t *place), return place_num_procs(*place))
FORM(int, omp_get_place_num_procs_8_, (const int64_t *place), return place_num_procs(*place))
FORM(void, omp_get_place_proc_ids_, (const int32_t *place, int32_t *ids), place_ids(*place, ids))
FORM(void, omp_get_place_proc_ids_8_, (const int64_t *place, int64_t *ids), place_ids_8(*place, ids))
FORM(void, omp_get_partition_place_nums_, (int32_t * nums), partition(nums))
FORM(void, omp_get_partition_place_nums_8_, (int64_t * nums), partition_8(nums))
#pragma GCC visibility pop
