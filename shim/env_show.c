/* SPDX-License-Identifier: MIT */
/* How omp_display_env shows each variable: the present value of the global control variable, in libgomp's notation. */
#include <limits.h>

#include "env_row.h"
#include "icv.h"
#include "places.h"

void tn_env_print_bool(const struct tn_env_row *r, struct tn_buf *b)
{
    tn_buf_fmt(b, *(const bool *)r->to ? "TRUE" : "FALSE");
}

void tn_env_print_int(const struct tn_env_row *r, struct tn_buf *b)
{
    tn_buf_fmt(b, "%d", *(const int *)r->to);
}

void tn_env_print_unsigned(const struct tn_env_row *r, struct tn_buf *b)
{
    tn_buf_fmt(b, "%u", *(const unsigned *)r->to);
}

void tn_env_print_limit(const struct tn_env_row *r, struct tn_buf *b)
{
    unsigned limit = *(const unsigned *)r->to;
    tn_buf_fmt(b, "%u", limit == TN_NO_LIMIT ? UINT_MAX : limit);
}

void tn_env_print_size(const struct tn_env_row *r, struct tn_buf *b)
{
    tn_buf_fmt(b, "%zu", *(const size_t *)r->to);
}

void tn_env_print_text(const struct tn_env_row *r, struct tn_buf *b)
{
    tn_buf_fmt(b, "%s", *(const char *const *)r->to);
}

void tn_env_print_nested(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    tn_buf_fmt(b, tn_global.icv.max_active_levels > 1 ? "TRUE" : "FALSE");
}

void tn_env_print_num_threads(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    tn_buf_fmt(b, "%u", tn_global.icv.nthreads);
    for (unsigned i = 1; i < tn_global.nthreads_list_len; i++)
        tn_buf_fmt(b, ",%u", tn_global.nthreads_list[i]);
}

static void put_upper(struct tn_buf *b, const char *s)
{
    for (; *s; s++)
        tn_buf_fmt(b, "%c", *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
}

void tn_env_print_proc_bind(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    put_upper(b, tn_env_bind_words[tn_global.icv.bind]);
    for (unsigned i = 1; i < tn_global.bind_list_len; i++) {
        tn_buf_fmt(b, ",");
        put_upper(b, tn_env_bind_words[tn_global.bind_list[i]]);
    }
}

void tn_env_print_schedule(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    unsigned kind = tn_global.icv.run_sched & ~TN_SCHED_MONOTONIC;
    bool monotonic = tn_global.icv.run_sched & TN_SCHED_MONOTONIC, fixed = kind == TN_SCHED_STATIC;
    int chunk = tn_global.icv.run_chunk;
    if (kind == TN_SCHED_AUTO) {
        tn_buf_fmt(b, "AUTO");
        return;
    }
    tn_buf_fmt(b, monotonic == fixed ? "" : monotonic ? "MONOTONIC:" : "NONMONOTONIC:");
    put_upper(b, tn_env_sched_words[kind - TN_SCHED_STATIC]);
    if (chunk != !fixed)
        tn_buf_fmt(b, ",%d", chunk);
}

void tn_env_print_wait(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    tn_buf_fmt(b, tn_global.wait_policy == TN_WAIT_ACTIVE ? "ACTIVE" : "PASSIVE");
}

void tn_env_print_spins(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    unsigned long policy = tn_global.wait_policy == TN_WAIT_ACTIVE    ? 30000000000ul
                           : tn_global.wait_policy == TN_WAIT_PASSIVE ? 0
                                                                      : 300000;
    tn_buf_fmt(b, "%lu", tn_env_seen.spins_set ? tn_env_seen.spins : policy);
}

void tn_env_print_allocator(const struct tn_env_row *r, struct tn_buf *b)
{
    for (size_t i = 0; r->words[i]; i++)
        if (i + 1 == tn_global.allocator)
            tn_buf_fmt(b, "%s", r->words[i]);
}

void tn_env_print_offload(const struct tn_env_row *r, struct tn_buf *b)
{
    put_upper(b, r->words[*(const int *)r->to]);
}

void tn_env_print_places(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    tn_env_places_print(b);
}

void tn_env_print_nothing(const struct tn_env_row *r, struct tn_buf *b)
{
    (void)r;
    (void)b;
}
