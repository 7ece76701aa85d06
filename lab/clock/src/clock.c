/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock: counts instructions and modelled cycles of one emulated processor,
 * exactly, from outside.
 *
 * It owns the running totals and the way an image is cut into runs. It knows no
 * instruction encodings (see table.h) and no kernel: it hands over a file.
 *
 * Each run is accounted when the next one begins, for only then is it known how far
 * it went. A block can be left before its end by a fault, or by a device access
 * that the emulator repeats in a block of its own; every instruction after which
 * that may happen leaves its index in `progress`, and one that is certain clears it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "deadline.h"
#include "exception.h"
#include "qemu_plugin.h"
#include "registers.h"
#include "run.h"

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_INTERFACE;

struct totals totals;

static const struct core *core;
static qemu_plugin_u64 progress;
static uint64_t *progress_word;  /* the same, as seen from here; 0: the run went to its end */
static const struct run *current;
static bool current_passed = true;
static volatile uint64_t limit = UINT64_MAX; /* 0: something else wants the end, as `at_limit` says */
static volatile enum ending at_limit = LIMIT_REACHED;
static uint64_t most = UINT64_MAX; /* records */
static int64_t until, seconds;     /* virtual time in nanoseconds; real time. 0: no end of this kind */
static const char *progress_path;
static bool reference; /* each instruction a run of its own: the slow twin, for tests */

#define STOPPED_BY_LIMIT 98 /* exit status; the record file tells the same */

/* ---- while the image runs ---- */

/* The virtual time after so many instructions: each takes a nanosecond, and the rest passed asleep. */
static int64_t time_at(uint64_t instructions)
{
    return deadline_idle_time() + (int64_t)instructions;
}

static void stop_at_limit(void)
{
    output_end(at_limit, time_at(totals.all.instructions), &totals);
    /* Whoever set another end than that of instructions wants what is there: nothing failed. */
    _exit(at_limit == LIMIT_REACHED ? STOPPED_BY_LIMIT : EXIT_SUCCESS);
}

static void stop_soon(enum ending how)
{
    at_limit = how;
    limit = 0;
}

static void real_time_over(void *unused)
{
    (void)unused;
    stop_soon(REAL_TIME_OVER);
}

static void settle_last(void);

/* Called between blocks. */
static void time_reached(void *unused)
{
    (void)unused;
    settle_last();
    output_end(TIME_REACHED, until, &totals);
    _exit(EXIT_SUCCESS);
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
            output_trouble(UNEXPLAINED_TRANSFER, next - from->size, run->address);
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

/* Accounts what ran since the last call and, at the head of a block, the way here. */
static void settle(const struct run *run)
{
    if (!current)
        return;
    uint32_t executed = *progress_word ? (uint32_t)*progress_word : current->length;
    *progress_word = 0;
    core->account(current, executed, current_passed);
    if (run->head) {
        uint32_t next;
        const struct record *from = last_begun(executed, &next);
        if (run->address != next || (run->first->flags & HANDLER) || (from->flags & RETURN))
            arrive(from, next, run);
    }
}

static void begin(unsigned cpu, void *data)
{
    (void)cpu;
    const struct run *run = data;
    settle(run);
    if (run->first->mark)
        output_mark(run->first->mark, time_at(totals.all.instructions), &totals);
    if (output_records() >= most)
        stop_soon(RECORD_FULL);
    if (totals.all.instructions >= limit)
        stop_at_limit();
    current = run;
    current_passed = !run->reads_condition || condition_holds(run->first->condition);
}

static void begin_unknown(unsigned cpu, void *data)
{
    (void)cpu;
    output_trouble(UNKNOWN_INSTRUCTION, 0, (uint32_t)(uintptr_t)data);
    /* The counts are worthless from here on, and the file says so. */
    output_end(GUEST_ENDED, time_at(totals.all.instructions), &totals);
    _exit(STOPPED_BY_LIMIT);
}

/* The watched word has a new value: what runs, and the first words of what is said of it. */
static void switched(uint32_t value, struct count at)
{
    static uint32_t running;
    struct standing left = threads_look(running), next = threads_look(value);
    uint32_t information = 0;
    if (value && table.information != NO_WATCH)
        information = memory_word(value + table.information);
    output_switch(value, time_at(at.instructions), at, information ? memory_word(information) : 0,
                  information ? memory_word(information + 4) : 0, left, next);
    running = value;
}

static uint64_t thread_word(uint64_t address, uint32_t bytes)
{
    (void)bytes; /* all words of a control block are of 32 bits */
    return memory_word((uint32_t)address);
}

static void stored(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)cpu;
    uint32_t offset = table.watch - (uint32_t)address;
    uint32_t width = 1u << qemu_plugin_mem_size_shift(info);
    uint32_t index = (uint32_t)(uintptr_t)data;
    struct woken woken = threads_woken((uint32_t)address, width);
    if (woken.thread) {
        struct count at = core->before(current, index, current_passed);
        output_wake(woken, exception_in_handler(), time_at(at.instructions));
    }
    if ((uint32_t)address > table.watch || offset + 4 > width)
        return;
    qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);
    uint64_t bits = value.type == QEMU_PLUGIN_MEM_VALUE_U64 ? value.data.u64 : value.data.u32;
    switched((uint32_t)(bits >> (8 * offset)), core->before(current, index, current_passed));
}

/* ---- when the emulator translates a block ---- */

struct run *run_new(uint32_t address, const struct record *first, uint32_t length, bool head)
{
    uint32_t parts = length < MAX_PHASES ? length : MAX_PHASES;
    struct run *run = calloc(1, sizeof *run + parts * sizeof(struct part));
    if (!run)
        abort();
    run->address = address;
    run->first = run->last = first;
    run->length = length;
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

/* The table's record of an instruction of the block, if it is the same one. */
static const struct record *known(struct qemu_plugin_tb *block, size_t i)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
    const struct record *r = table_find((uint32_t)qemu_plugin_insn_vaddr(insn));
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
        if (!r || r->mark || reads_condition(r))
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
        if (table.watch != NO_WATCH && (r->flags & STORE))
            qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_W, (void *)(uintptr_t)i);
    }
}

static size_t translate_run(struct qemu_plugin_tb *block, size_t start)
{
    struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, start);
    uint32_t address = (uint32_t)qemu_plugin_insn_vaddr(insn);
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

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    size_t count = qemu_plugin_tb_n_insns(block);
    for (size_t i = 0; i < count;)
        i += translate_run(block, i);
}

/* ---- beginning and end ---- */

static void processor_made(qemu_plugin_id_t id, unsigned cpu)
{
    (void)id;
    if (cpu != 0 || !registers_find())
        exit(EXIT_FAILURE);
    progress_word = qemu_plugin_scoreboard_find(progress.score, cpu);
    if (until)
        deadline_virtual(until, time_reached);
    if (seconds)
        deadline_real(seconds, real_time_over);
    if (progress_path)
        deadline_progress(progress_path);
}

/* Accounts the run that no other one follows. */
static void settle_last(void)
{
    if (current)
        core->account(current, *progress_word ? (uint32_t)*progress_word : current->length,
                      current_passed);
    current = NULL;
}

static void ended(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    settle_last();
    output_end(GUEST_ENDED, time_at(totals.all.instructions), &totals);
}

/* The value of `name=value`, or NULL when it is another option. */
static const char *option(const char *argument, const char *name)
{
    size_t length = strlen(name);
    bool same = strncmp(argument, name, length) == 0 && argument[length] == '=';
    return same ? argument + length + 1 : NULL;
}

static bool options(int count, char **arguments, const char **in, const char **out)
{
    for (int i = 0; i < count; i++) {
        const char *value;
        if ((value = option(arguments[i], "table")))
            *in = value;
        else if ((value = option(arguments[i], "out")))
            *out = value;
        else if ((value = option(arguments[i], "limit")))
            limit = strtoull(value, NULL, 10);
        else if ((value = option(arguments[i], "until")))
            until = strtoll(value, NULL, 10);
        else if ((value = option(arguments[i], "seconds")))
            seconds = strtoll(value, NULL, 10);
        else if ((value = option(arguments[i], "most")))
            most = strtoull(value, NULL, 10);
        else if ((value = option(arguments[i], "progress")))
            progress_path = strdup(value);
        else if ((value = option(arguments[i], "reference")))
            reference = strcmp(value, "on") == 0;
        else
            return false;
    }
    return *in && *out;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                                      char **arguments)
{
    const char *in = NULL, *out = NULL;
    if (!options(count, arguments, &in, &out)) {
        fprintf(stderr, "taktos-clock: options are table=FILE, out=FILE, limit=INSTRUCTIONS, "
                        "until=NANOSECONDS, seconds=SECONDS, most=RECORDS, progress=FILE and reference=on|off\n");
        return -1;
    }
    if (!info->system_emulation || info->system.smp_vcpus != 1) {
        fprintf(stderr, "taktos-clock: counts a system with one processor only\n");
        return -1;
    }
    if (!table_read(in) || !output_open(out))
        return -1;
    if (table.urgency != NO_WATCH && table.wait != NO_WATCH)
        threads_begin((struct thread_layout){ .urgency = table.urgency, .wait = table.wait,
                                              .suspended = table.suspended, .word = sizeof(uint32_t),
                                              .read = thread_word });
    core = table.model == PIPELINED ? &pipelined_core : &simple_core;
    progress.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
    progress.offset = 0;
    qemu_plugin_register_vcpu_init_cb(id, processor_made);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
