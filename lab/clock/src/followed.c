/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter that follows: one processor, run by run as it executes.
 *
 * It owns the running totals and the way a block is cut into runs. It knows no instruction encodings (see table.h) and
 * no kernel. What passes while the processor sleeps is told by the emulator (deadline.h).
 *
 * Each run is accounted when the next one begins, for only then is it known how far
 * it went. A block can be left before its end by a fault, or by a device access
 * that the emulator repeats in a block of its own; every instruction after which
 * that may happen leaves its index in `progress`, and one that is certain clears it.
 */
#include "followed.h"

#include <stdio.h>
#include <stdlib.h>

#include "arm.h"
#include "counter.h"
#include "deadline.h"
#include "emulator.h"
#include "end.h"
#include "exception.h"
#include "plan.h"
#include "record.h"
#include "rest.h"
#include "run.h"
#include "switches.h"

struct totals totals;

static const struct core *core;
static qemu_plugin_u64 progress;
static uint64_t *progress_word;  /* the same, as seen from here; 0: the run went to its end */
static const struct run *current; /* NULL: all that was begun is accounted */
static bool current_passed = true;
static bool reference; /* each instruction a run of its own: the slow twin, for tests */

/* ---- while the image runs ---- */

/* The virtual time, in picoseconds, after so many instructions: each takes a nanosecond, and the rest passed asleep. */
static int64_t time_at(uint64_t instructions)
{
    return (deadline_idle_time() + (int64_t)instructions) * 1000;
}

/* The last instruction that the current run began, and the address after it. */
static const struct record *last_begun(uint32_t executed, uint32_t *next)
{
    if (executed == current->length) {
        *next = current->end;
        return current->last;
    }
    const struct record *r = current->first;
    uint32_t address = current->address;
    for (uint32_t i = 0; i + 1 < executed; i++, r = record_after(r))
        address += r->size;
    *next = address + r->size;
    return r;
}

/* Books the way from the last instruction to the block that begins here. */
static void arrive(const struct record *from, uint32_t next, const struct run *run)
{
    switch (exception_arrival(from, next, run->first)) {
    case ORDINARY:
        if (run->address == next)
            break;
        if (from->flags & TRANSFER)
            core->wait(from->phase, table.transfer);
        else
            record_trouble(UNEXPLAINED_TRANSFER, 0, next - from->size, run->address);
        break;
    case TAKEN_AFTER_BRANCH:
        core->wait(from->phase, table.transfer);
        /* fall through */
    case TAKEN:
        core->wait(run->first->phase, table.entry);
        totals.entries++;
        break;
    case RETURNED:
        core->wait(from->phase, table.exit);
        totals.returns++;
        break;
    case CHAINED:
        core->wait(from->phase, table.chain);
        totals.chains++;
        break;
    }
}

/* Accounts the current run; how far it went. */
static uint32_t account_current(void)
{
    uint32_t executed = *progress_word ? (uint32_t)*progress_word : current->length;
    *progress_word = 0;
    core->account(current, executed, current_passed);
    return executed;
}

/* Accounts what ran since the last call and, at the head of a block, the way here. */
static void settle(const struct run *run)
{
    if (!current)
        return;
    uint32_t executed = account_current();
    if (run->head) {
        uint32_t next;
        const struct record *from = last_begun(executed, &next);
        if (run->address != next || (run->first->flags & HANDLER) || (from->flags & RETURN))
            arrive(from, next, run);
    }
    current = NULL;
}

/* The emulator counts the instructions of all processors together: of several, the others must rest. */
static void only_first(unsigned cpu)
{
    if (cpu == 0)
        return;
    fprintf(stderr, "taktos-clock: a second processor runs, and the emulator counts the time of one only\n");
    exit(EXIT_FAILURE);
}

static void begin(unsigned cpu, void *data)
{
    only_first(cpu);
    const struct run *run = data;
    settle(run);
    if (run->mark)
        record_mark(0, run->mark, 0, time_at(totals.all.instructions), &totals);
    end_check(totals.all.instructions);
    current = run;
    current_passed = !run->reads_condition || arm_condition_holds(run->first->condition);
}

static void begin_unknown(unsigned cpu, void *address)
{
    only_first(cpu);
    end_unknown((int)cpu, (uintptr_t)address);
}

static struct moment before(int processor, void *index)
{
    (void)processor;
    struct amount all = core->before(current, (uint32_t)(uintptr_t)index, current_passed);
    return (struct moment){ .time = time_at(all.instructions), .totals = { .all = all } };
}

static struct moment now(int processor)
{
    (void)processor;
    if (current)
        account_current();
    current = NULL;
    return (struct moment){ .time = time_at(totals.all.instructions), .totals = totals };
}

/* ---- when the emulator translates a block ---- */

/* A run with room for the parts of `length` instructions, at most one a phase. */
static struct run *run_new(uint32_t address, const struct record *first, uint32_t length, bool head)
{
    uint32_t parts = length < MAX_PHASES ? length : MAX_PHASES;
    struct run *run = calloc(1, sizeof *run + parts * sizeof(struct part));
    if (!run)
        abort();
    run->address = address;
    run->first = run->last = first;
    run->length = length;
    run->mark = plan_mark(address);
    run->head = head;
    for (uint32_t i = 1; i < length; i++)
        run->last = record_after(run->last);
    run->end = address + 2 * (uint32_t)(record_after(run->last) - first);
    core->prepare(run);
    return run;
}

/* The cost of these hangs on their condition, so they stand alone. */
static bool reads_condition(const struct record *r)
{
    return table.model == SIMPLE && r->condition != ALWAYS &&
           (r->cost > 1 || (r->flags & SINGLE));
}

static uint32_t address_of(const struct qemu_plugin_tb *block, size_t i)
{
    return (uint32_t)qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, i));
}

/* The table's record of an instruction of the block, if it is the same one. */
static const struct record *known(struct qemu_plugin_tb *block, size_t i)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
    const struct record *r = table_find(address_of(block, i));
    return r && r->size == qemu_plugin_insn_size(insn) ? r : NULL;
}

/* How many instructions from `start` on belong to one run. */
static uint32_t run_length(struct qemu_plugin_tb *block, size_t start, const struct record *first)
{
    if (reference || reads_condition(first))
        return 1;
    uint32_t length = 1;
    for (size_t i = start + 1; i < qemu_plugin_tb_n_insns(block); i++, length++) {
        const struct record *r = known(block, i);
        if (!r || plan_mark(address_of(block, i)) || reads_condition(r))
            break;
    }
    return length;
}

/* Leaves the progress of a run in `progress` as far as it is not plain. */
static void instrument(struct qemu_plugin_tb *block, size_t start, const struct run *run)
{
    const struct record *r = run->first;
    uint64_t left = 0;
    for (uint32_t i = 0; i < run->length; i++, r = record_after(r)) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, start + i);
        uint64_t now = (r->flags & MAY_LEAVE) && i + 1 < run->length ? i + 1 : 0;
        if (now != left)
            qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
                insn, QEMU_PLUGIN_INLINE_STORE_U64, progress, now);
        left = now;
        if (r->flags & STORE)
            switches_watch(insn, (void *)(uintptr_t)i);
    }
}

static size_t translate_run(struct qemu_plugin_tb *block, size_t start)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, start);
    uint32_t address = address_of(block, start);
    const struct record *first = known(block, start);
    if (!first) {
        qemu_plugin_register_vcpu_insn_exec_cb(insn, begin_unknown, QEMU_PLUGIN_CB_NO_REGS,
                                               (void *)(uintptr_t)address);
        return 1;
    }
    struct run *run = run_new(address, first, run_length(block, start, first), start == 0);
    run->reads_condition = reads_condition(first);
    qemu_plugin_register_vcpu_insn_exec_cb(
        insn, begin, run->reads_condition ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS, run);
    instrument(block, start, run);
    return run->length;
}

static void translate(struct qemu_plugin_tb *block)
{
    rest_translated(block);
    size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < count;)
        i += translate_run(block, i);
}

/* ---- beginning ---- */

void followed_begin(bool each_alone)
{
    reference = each_alone;
    core = table.model == PIPELINED ? &pipelined_core : &simple_core;
    progress.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
    progress.offset = 0;
}

bool followed_add_processor(void)
{
    progress_word = qemu_plugin_scoreboard_find(progress.score, 0);
    return arm_find();
}

static int64_t elapsed(void) { return qemu_clock_get_ns(VIRTUAL_CLOCK); }

const struct counter followed = { translate, before, now, elapsed };
