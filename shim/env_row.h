/* SPDX-License-Identifier: MIT */
/* Inside of env.c: a row of the table, what the functions of its rows share, and their names. Only env*.c include this. */
#ifndef TN_ENV_ROW_H
#define TN_ENV_ROW_H

#include "env.h"

struct tn_env_row {
    const char *name;
    bool (*parse)(const struct tn_env_row *, const char *);
    void (*print)(const struct tn_env_row *, struct tn_buf *); /* NULL: not shown */
    void *to;
    long min, max;              /* of numbers */
    const char *const *words;   /* of choices */
    enum { PLAIN, ALL = 1, VERBOSE = 2, OURS = 4 } is; /* ALL: NAME_ALL stands in for it; VERBOSE: only shown then */
};

/* What more than one variable decides, or what is only shown. */
struct tn_env_seen {
    bool nested_set, levels_set, places_set, stack_set;
    bool nested;
    bool quota;          /* TENURE_QUOTA */
    bool children;       /* TENURE_CHILDREN; acted on by init.c, at load */
    size_t stack;        /* as given; tn_global.stacksize is 0 if it is no use */
    unsigned long spins; /* GOMP_SPINCOUNT */
    bool spins_set;
};
extern struct tn_env_seen tn_env_seen;

extern const char *const tn_env_bind_words[], *const tn_env_sched_words[], *const tn_env_alloc_words[];

#define TN_ENV_PARSE(name) bool tn_env_parse_##name(const struct tn_env_row *, const char *)
TN_ENV_PARSE(bool);
TN_ENV_PARSE(switch);
TN_ENV_PARSE(int);
TN_ENV_PARSE(count);
TN_ENV_PARSE(choice);
TN_ENV_PARSE(nested);
TN_ENV_PARSE(levels);
TN_ENV_PARSE(num_threads);
TN_ENV_PARSE(proc_bind);
TN_ENV_PARSE(schedule);
TN_ENV_PARSE(stack);
TN_ENV_PARSE(wait);
TN_ENV_PARSE(spins);
TN_ENV_PARSE(allocator);
TN_ENV_PARSE(text);
TN_ENV_PARSE(places);
TN_ENV_PARSE(cpu_list);
TN_ENV_PARSE(time);
TN_ENV_PARSE(spin_time);
TN_ENV_PARSE(ignored);
#define TN_ENV_PRINT(name) void tn_env_print_##name(const struct tn_env_row *, struct tn_buf *)
TN_ENV_PRINT(bool);
TN_ENV_PRINT(int);
TN_ENV_PRINT(unsigned);
TN_ENV_PRINT(limit);
TN_ENV_PRINT(size);
TN_ENV_PRINT(text);
TN_ENV_PRINT(nested);
TN_ENV_PRINT(num_threads);
TN_ENV_PRINT(proc_bind);
TN_ENV_PRINT(schedule);
TN_ENV_PRINT(wait);
TN_ENV_PRINT(spins);
TN_ENV_PRINT(allocator);
TN_ENV_PRINT(offload);
TN_ENV_PRINT(places);
TN_ENV_PRINT(nothing);

#endif
