/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Issue in pairs: up to two instructions a cycle, in order, each when its sources are there. An instruction of
 * several issue cycles is the first of a pair only in its last one.
 *
 * The table says when each source is needed and when each result is there; this only keeps the time.
 */
#ifndef TAKTOS_ISSUE_H
#define TAKTOS_ISSUE_H

#include "table.h"

/* All zero: empty, at the beginning of time. */
struct pipe {
    uint64_t now;               /* the cycle of the last issue */
    const struct record *first; /* alone in that cycle so far; NULL: no second may join it */
    uint64_t ready[OPERAND_REGISTERS];
};

/* Issues one instruction; the cycles by which the time went on. */
uint64_t pipe_issue(struct pipe *pipe, const struct record *r);

#endif
