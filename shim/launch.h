/* SPDX-License-Identifier: MIT */
/* The `tenure` command: what its files share. A program of its own, linked to nothing of ours; one thread. */
#ifndef TN_LAUNCH_H
#define TN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the absolute path of the libtenure.so that belongs to this command into path; false if there is none. */
bool tn_launch_find_library(char *path, size_t size);

/* Prints one line "tenure: …" to stderr. */
__attribute__((format(printf, 1, 2))) void tn_launch_complain(const char *format, ...);

/* LD_PRELOAD for a child: lib first, then what was there. Returns 0 or a negative errno. */
int tn_launch_set_preload(const char *lib);

/* `tenure doctor [file…]`. Returns the exit status: 0 when the library works here. */
int tn_doctor(const char *self, int count, char **files);

/* `tenure doctor` runs the command again, preloaded, to see who answers. Exit status 0: libtenure does. */
int tn_doctor_probe(const char *lib);

#endif
