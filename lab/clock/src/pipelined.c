/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A core that issues up to two instructions a cycle, in order, each when its
 * sources are there. An instruction of several issue cycles is the first of a pair
 * only in its last one.
 *
 * The table says when each source is needed and when each result is there; this
 * file only keeps the time.
 */
#include <stddef.h>

#include "run.h"

static struct {
    uint64_t now;       /* the cycle of the last issue */
    const struct record *first; /* alone in that cycle so far; NULL: no second may join it */
    uint64_t ready[OPERAND_REGISTERS];
} pipe;

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
static uint64_t sources_ready(const struct record *r, uint64_t earliest)
{
    const struct operand *source = table_operands + r->operands;
    for (uint8_t i = 0; i < r->sources; i++) {
        uint64_t ready = pipe.ready[source[i].reg];
        if (ready > earliest + source[i].when)
            earliest = ready - source[i].when;
    }
    return earliest;
}

/* Issues one instruction; the cycles by which the time went on. */
static uint64_t issue(const struct record *r)
{
    uint64_t was = pipe.now;
    uint64_t start = sources_ready(r, was);
    bool joins = start == was && may_pair(pipe.first, r);
    if (!joins && start == was)
        start = was + 1;
    const struct operand *result = table_operands + r->operands + r->sources;
    for (uint8_t i = 0; i < r->results; i++)
        pipe.ready[result[i].reg] = start + result[i].when;
    pipe.now = start + r->cost - 1;
    pipe.first = joins || (r->flags & ALONE) ? NULL : r;
    return pipe.now - was;
}

static void prepare(struct run *run)
{
    run->sum.instructions = run->length;
}

static void account(const struct run *run, uint32_t executed, bool passed)
{
    (void)passed; /* this core is scheduled as if every condition held */
    const struct record *r = run->first;
    for (uint32_t i = 0; i < executed; i++, r = record_after(r))
        add(r->phase, 1, issue(r));
}

static struct count before(const struct run *run, uint32_t index, bool passed)
{
    __typeof__(pipe) saved = pipe;
    struct totals as_was = totals;
    account(run, index, passed);
    struct count at = totals.all;
    pipe = saved;
    totals = as_was;
    return at;
}

/* While the pipeline stands empty nothing joins what was issued before. */
static void wait_cycles(uint8_t phase, uint32_t cycles)
{
    if (cycles == 0)
        return;
    pipe.now += cycles;
    pipe.first = NULL;
    add(phase, 0, cycles);
}

const struct core pipelined_core = { prepare, account, before, wait_cycles };
