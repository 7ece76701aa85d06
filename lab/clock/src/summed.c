/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter that sums: a block is cut into runs, and translated code adds what each weighs.
 *
 * A run is added when its first instruction is reached. So a new one begins at each instruction that may read the
 * time, and behind each one after which a block may be left: what was added has then been executed.
 */
#include "count.h"
#include "counter.h"
#include "encoding.h"
#include "end.h"
#include "holds.h"
#include "plan.h"
#include "record.h"
#include "switches.h"
#include "time.h"
#include "weight.h"

/* ---- while the image runs ---- */

static void passed(unsigned index, void *mark)
{
    struct totals totals = count_totals((int)index);
    record_mark((int)index, (uint16_t)(uintptr_t)mark, time_asleep(), time_of((int)index), &totals);
}

static void unknown(unsigned index, void *address)
{
    end_unknown((int)index, (uintptr_t)address);
}

static void stored(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *unused)
{
    const struct qemu_plugin_hwaddr *place = qemu_plugin_get_hwaddr(info, address);
    if (place && qemu_plugin_hwaddr_is_io(place))
        time_timer_changes(index, unused);
}

static void *packed(struct weight weight)
{
    return (void *)(uintptr_t)(weight.cycles | (uint64_t)weight.phase << 32);
}

static struct moment before(int processor, void *data)
{
    uintptr_t bits = (uintptr_t)data;
    uint32_t cycles = (uint32_t)bits;
    return (struct moment){
        .time = time_before(processor, count_ticks(1, cycles)),
        .totals = count_totals_before(processor, (uint8_t)((uint64_t)bits >> 32), cycles),
    };
}

static struct moment now(int processor)
{
    return (struct moment){ .time = time_of(processor), .totals = count_totals(processor) };
}

/* ---- when the emulator translates a block ---- */

static uint32_t encoding(const struct qemu_plugin_insn *insn)
{
    uint32_t word = 0;
    qemu_plugin_insn_data(insn, &word, sizeof word);
    return word;
}

struct block {
    struct qemu_plugin_tb *block;
    size_t length;
    uint32_t words[LONGEST_BLOCK];
    uint16_t marks[LONGEST_BLOCK];
    struct weight weights[LONGEST_BLOCK];
};

static void look_at(struct block *b, struct qemu_plugin_tb *block)
{
    b->block = block;
    b->length = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < b->length; i++) {
        const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
        b->words[i] = encoding(insn);
        b->marks[i] = plan_mark(qemu_plugin_insn_vaddr(insn));
        b->weights[i] = (struct weight){ 0, 0, true };
    }
    if (table.phases != 0)
        weigh(block, b->weights);
}

static bool begins_run(const struct block *b, size_t i)
{
    return may_read_time(b->words[i]) || may_read_time(b->words[i - 1]) ||
           touches_memory(b->words[i - 1]) || b->marks[i] || !b->weights[i].known ||
           b->weights[i].phase != b->weights[i - 1].phase;
}

static void translate_run(const struct block *b, size_t begin, size_t end)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(b->block, begin);
    if (!b->weights[begin].known)
        qemu_plugin_register_vcpu_insn_exec_cb(insn, unknown, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
    if (b->marks[begin])
        qemu_plugin_register_vcpu_insn_exec_cb(insn, passed, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)b->marks[begin]);
    uint64_t cycles = 0;
    for (size_t i = begin; i < end; i++)
        cycles += b->weights[i].cycles;
    count_add(insn, b->weights[begin].phase, end - begin, cycles);
    if (may_set_timer(b->words[begin]))
        qemu_plugin_register_vcpu_insn_exec_cb(insn, time_timer_changes, QEMU_PLUGIN_CB_NO_REGS, NULL);
    if (!touches_memory(b->words[end - 1]))
        return;
    struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(b->block, end - 1);
    switches_watch(last, packed(b->weights[end - 1]));
    holds_watch(last, packed(b->weights[end - 1]));
    if (time_by_stores())
        qemu_plugin_register_vcpu_mem_cb(last, stored, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, NULL);
}

static void translate(struct qemu_plugin_tb *block)
{
    static struct block b; /* blocks are translated one at a time */
    qemu_plugin_register_vcpu_tb_exec_cond_cb(block, time_gate, QEMU_PLUGIN_CB_NO_REGS,
                                              QEMU_PLUGIN_COND_GE, count_time(), FULL, NULL);
    look_at(&b, block);
    for (size_t begin = 0, end; begin < b.length; begin = end) {
        end = begin + 1;
        while (end < b.length && !begins_run(&b, end))
            end++;
        translate_run(&b, begin, end);
    }
}

const struct counter summed = { translate, before, now, time_elapsed };
