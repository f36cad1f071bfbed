/* SPDX-License-Identifier: MIT */
/* Places: PLACEHOLDER contents, the places author fills this in. Contract other modules use: */
#ifndef TN_PLACES_H
#define TN_PLACES_H

#include <sched.h>
#include "base.h"

struct tn_thread;
struct tn_team;
struct tn_crew;

#endif
