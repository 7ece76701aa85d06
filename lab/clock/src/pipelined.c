/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A core that issues up to two instructions a cycle, in order: one pipe, from the first instruction to the last. */
#include <stddef.h>

#include "issue.h"
#include "run.h"

static struct pipe pipe;

static void prepare(struct run *run)
{
    run->sum.instructions = run->length;
}

static void account(const struct run *run, uint32_t executed, bool passed)
{
    (void)passed; /* this core is scheduled as if every condition held */
    const struct record *r = run->first;
    for (uint32_t i = 0; i < executed; i++, r = record_after(r))
        add(r->phase, 1, pipe_issue(&pipe, r));
}

static struct amount before(const struct run *run, uint32_t index, bool passed)
{
    struct pipe saved = pipe;
    struct totals as_was = totals;
    account(run, index, passed);
    struct amount at = totals.all;
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
