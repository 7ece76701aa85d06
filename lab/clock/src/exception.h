/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exceptions: tells from the registers, at the few addresses where it matters,
 * whether one was just taken or returned from.
 */
#ifndef TAKTOS_EXCEPTION_H
#define TAKTOS_EXCEPTION_H

#include <stdint.h>

#include "table.h"

enum arrival {
    ORDINARY,          /* by a branch, or from the instruction before */
    TAKEN,             /* an exception was taken */
    TAKEN_AFTER_BRANCH,/* the same, directly after a control transfer */
    RETURNED,          /* from an exception */
    CHAINED,           /* from one exception to the next without a return between */
};

/* How control came from `from` to the block that begins with `to`. `next` is the
 * address after `from`. Cheap unless one of the two is marked in the table. */
enum arrival exception_arrival(const struct record *from, uint32_t next, const struct record *to);

#endif
