/* SPDX-License-Identifier: MIT */
/* fork(): the child starts with no team, no lock taken, and builds its own at its first region. */
#ifndef TN_FORK_H
#define TN_FORK_H

#include "base.h"

/* Arrange for the child handler; once per process, cheap afterwards. Called before the first record is made. */
void tn_fork_register(void);
/* How many forks this process is away from the one that loaded us: sessions compare it. */
unsigned tn_fork_depth(void);

#endif
