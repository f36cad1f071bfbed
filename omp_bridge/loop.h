/* SPDX-License-Identifier: MIT */
/* Worksharing: PLACEHOLDER contents, the loop author fills this in. */
#ifndef TN_LOOP_H
#define TN_LOOP_H

#include "base.h"

struct tn_thread;
struct tn_team;
struct tn_member;

struct tn_ws_member { uint32_t count; };
struct tn_ws_team { int unused; };

#endif
