/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "issue.h"

#include <stdbool.h>
#include <stddef.h>

static bool may_pair(const struct record *first, const struct record *second)
{
    const uint16_t units = LOAD_STORE_PIPE | BRANCH_PIPE;
    if (!first || (second->flags & (ALONE | FIRST_ONLY)) || (first->flags & second->flags & units))
        return false;
    const struct operand *a = table_operands + first->operands + first->sources;
    const struct operand *b = table_operands + second->operands + second->sources;
    for (uint8_t i = 0; i < first->results; i++)
        for (uint8_t j = 0; j < second->results; j++)
            if (a[i].reg == b[j].reg)
                return false;
    return true;
}

/* The first cycle, not before `earliest`, at which all sources come in time. */
static uint64_t sources_ready(const struct pipe *pipe, const struct record *r, uint64_t earliest)
{
    const struct operand *source = table_operands + r->operands;
    for (uint8_t i = 0; i < r->sources; i++) {
        uint64_t ready = pipe->ready[source[i].reg];
        if (ready > earliest + source[i].when)
            earliest = ready - source[i].when;
    }
    return earliest;
}

uint64_t pipe_issue(struct pipe *pipe, const struct record *r)
{
    uint64_t was = pipe->now;
    uint64_t start = sources_ready(pipe, r, was);
    bool joins = start == was && may_pair(pipe->first, r);
    if (!joins && start == was)
        start = was + 1;
    const struct operand *result = table_operands + r->operands + r->sources;
    for (uint8_t i = 0; i < r->results; i++)
        pipe->ready[result[i].reg] = start + result[i].when;
    pipe->now = start + r->cost - 1;
    pipe->first = joins || (r->flags & ALONE) ? NULL : r;
    return pipe->now - was;
}
