/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count.h"

#include <stddef.h>

#include "time.h"

struct words {
    uint64_t time;
    struct amount phase[MAX_PHASES];
};

static struct qemu_plugin_scoreboard *board;
static bool by_cycles;

void count_begin(bool cycles_are_time)
{
    board = qemu_plugin_scoreboard_new(sizeof(struct words));
    by_cycles = cycles_are_time;
}

static qemu_plugin_u64 word_at(size_t offset)
{
    return (qemu_plugin_u64){ board, offset };
}

qemu_plugin_u64 count_time(void) { return word_at(offsetof(struct words, time)); }

uint64_t count_ticks(uint64_t instructions, uint64_t cycles)
{
    return by_cycles ? cycles : instructions;
}

static void add_inline(struct qemu_plugin_insn *insn, size_t offset, uint64_t value)
{
    if (value)
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64,
                                                            word_at(offset), value);
}

void count_add(struct qemu_plugin_insn *insn, uint8_t phase, uint64_t instructions, uint64_t cycles)
{
    add_inline(insn, offsetof(struct words, time), count_ticks(instructions, cycles));
    if (table.phases == 0)
        return;
    add_inline(insn, offsetof(struct words, phase[phase].instructions), instructions);
    add_inline(insn, offsetof(struct words, phase[phase].cycles), cycles);
}

struct totals count_totals(int processor)
{
    struct totals totals = { 0 };
    if (table.phases == 0) { /* then a tick is an instruction */
        totals.all.instructions = time_ticks(processor);
        return totals;
    }
    const struct words *words = qemu_plugin_scoreboard_find(board, (unsigned)processor);
    for (uint32_t i = 0; i < table.phases; i++) {
        totals.phase[i] = words->phase[i];
        totals.all.instructions += words->phase[i].instructions;
        totals.all.cycles += words->phase[i].cycles;
    }
    return totals;
}

struct totals count_totals_before(int processor, uint8_t phase, uint32_t cycles)
{
    struct totals totals = count_totals(processor);
    totals.all.instructions--;
    totals.all.cycles -= cycles;
    if (table.phases != 0) {
        totals.phase[phase].instructions--;
        totals.phase[phase].cycles -= cycles;
    }
    return totals;
}
