/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A core that issues one instruction after another: each has a fixed cost, but a
 * single load or store directly after another takes one cycle.
 */
#include "run.h"

static bool after_single;

static uint32_t cost(const struct record *r, bool pipelined)
{
    return pipelined && (r->flags & SINGLE) ? 1 : r->cost;
}

static void book(struct run *run, uint8_t phase, uint32_t cycles)
{
    uint8_t i = 0;
    while (i < run->parts && run->part[i].phase != phase)
        i++;
    if (i == run->parts)
        run->part[run->parts++].phase = phase;
    run->part[i].amount.instructions++;
    run->part[i].amount.cycles += cycles;
    run->sum.instructions++;
    run->sum.cycles += cycles;
}

static void prepare(struct run *run)
{
    bool single = false;
    const struct record *r = run->first;
    for (uint32_t i = 0; i < run->length; i++, r = record_after(r)) {
        book(run, r->phase, cost(r, single));
        single = r->flags & SINGLE;
    }
    run->one_phase = run->parts == 1;
}

/* A run left early: one instruction at a time. */
static void account_some(const struct run *run, uint32_t executed)
{
    const struct record *r = run->first;
    for (uint32_t i = 0; i < executed; i++, r = record_after(r)) {
        add(r->phase, 1, cost(r, after_single));
        after_single = r->flags & SINGLE;
    }
}

static void account(const struct run *run, uint32_t executed, bool passed)
{
    if (!passed) { /* an instruction whose condition fails takes one cycle */
        add(run->first->phase, 1, 1);
        after_single = false;
        return;
    }
    if (executed < run->length) {
        account_some(run, executed);
        return;
    }
    uint32_t saved = after_single ? run->first->cost - cost(run->first, true) : 0;
    if (run->one_phase) {
        add(run->part[0].phase, run->sum.instructions, run->sum.cycles - saved);
    } else {
        for (uint8_t i = 0; i < run->parts; i++)
            add(run->part[i].phase, run->part[i].amount.instructions, run->part[i].amount.cycles);
        totals.all.cycles -= saved;
        totals.phase[run->first->phase].cycles -= saved;
    }
    after_single = run->last->flags & SINGLE;
}

static struct amount before(const struct run *run, uint32_t index, bool passed)
{
    struct amount at = totals.all;
    bool single = after_single;
    const struct record *r = run->first;
    for (uint32_t i = 0; i < index; i++, r = record_after(r)) {
        at.instructions++;
        at.cycles += passed ? cost(r, single) : 1;
        single = r->flags & SINGLE;
    }
    return at;
}

static void wait_cycles(uint8_t phase, uint32_t cycles)
{
    add(phase, 0, cycles);
}

const struct core simple_core = { prepare, account, before, wait_cycles };
