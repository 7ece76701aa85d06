/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "weight.h"

#include "issue.h"
#include "table.h"
#include "plan.h"

/* A core that issues one instruction after another: a single load or store directly after another takes one cycle. */
static uint32_t simple_cost(const struct record *r, bool after_single)
{
    return after_single && (r->flags & SINGLE) ? 1 : r->cost;
}

static uint32_t event_cost(const struct record *r)
{
    return (r->flags & HANDLER ? table.entry : 0) + (r->flags & RETURN ? table.exit : 0);
}

static struct weight weigh_one(const struct record *r, struct pipe *pipe, bool *after_single)
{
    uint64_t cycles = table.model == PIPELINED ? pipe_issue(pipe, r) : simple_cost(r, *after_single);
    *after_single = r->flags & SINGLE;
    return (struct weight){ (uint32_t)cycles + event_cost(r), r->phase, true };
}

void weigh(const struct qemu_plugin_tb *block, struct weight weights[LONGEST_BLOCK])
{
    struct pipe pipe = { 0 };
    bool after_single = false;
    size_t length = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < length; i++) {
        const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        const struct record *r = table_find((uint32_t)qemu_plugin_insn_vaddr(insn));
        if (r && r->size == qemu_plugin_insn_size(insn))
            weights[i] = weigh_one(r, &pipe, &after_single);
        else /* the machine's own: a cycle each, in the phase of all that has no other */
            weights[i] = (struct weight){ 1, 0, plan_before_image(qemu_plugin_insn_vaddr(insn)) };
    }
}
