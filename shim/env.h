/* SPDX-License-Identifier: MIT */
/* The environment: read once, when OpenMP is first used (or at load, where the program is known to use it), and shown by
 * omp_display_env. The table of all variables is in env.c. */
#ifndef TN_ENV_H
#define TN_ENV_H

#include "base.h"
#include "msg.h"

/* Fills tn_global from `environment`. `quiet`: a libgomp in the process has said already what there is to say. */
void tn_env_read(char **environment, bool quiet);
/* The lines of omp_display_env to standard error. */
void tn_env_display(bool verbose);
/* OMP_DISPLAY_ENV asked for it at start. 0 no, 1 yes, 2 verbose. */
extern int tn_env_display_wanted;
/* A message in libgomp's manner, unless tn_env_read is quiet. */
void tn_env_complain(const char *fmt, ...) TN_PRINTF(1, 2);

/* --- env_parse.c: values. Each moves *s behind what it took; false: not of that form, nothing stored ------------------ */
void tn_env_space(const char **s);
bool tn_env_end(const char *s); /* nothing but space is left */
/* Index of the word of `words` (up to NULL) that stands at *s, in any case; -1: none. */
int tn_env_word(const char **s, const char *const *words);
/* yes or no in any of the usual words, and nothing else. */
bool tn_env_switch(const char *s, bool *on);
bool tn_env_ulong(const char **s, unsigned long *v);
bool tn_env_long(const char **s, long *v);
/* A number with one of the letters of `units` (any case), each `step` times the one before it; "" in front: 1. */
bool tn_env_scaled(const char **s, const char *units, unsigned long step, unsigned long *v);

/* --- env_places.c ------------------------------------------------------------------------------------------------- */
/* Fill the list of places from OMP_PLACES or GOMP_CPU_AFFINITY. False: malformed, and the list is empty. `keep` false: only
 * look whether it is well formed. */
bool tn_env_places(const char *text);
bool tn_env_cpu_list(const char *text, bool keep);
/* Every CPU a place: OMP_PROC_BIND without places. */
void tn_env_places_default(void);
/* The list as omp_display_env shows it. */
void tn_env_places_print(struct tn_buf *b);

#endif
