/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a processor has executed until a moment. It owns nothing; it must never know how it was counted. */
#ifndef TAKTOS_TOTALS_H
#define TAKTOS_TOTALS_H

#include <stdint.h>

#include "table.h"

struct amount {
    uint64_t instructions, cycles;
};

struct totals {
    struct amount all;
    struct amount phase[MAX_PHASES];   /* only with a timing table */
    uint64_t entries, returns, chains; /* exceptions, where the processor is followed */
};

struct moment {
    int64_t time; /* picoseconds */
    struct totals totals;
};

#endif
