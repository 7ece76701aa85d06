/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock for several processors: counts what each executes, and lets time pass by that alone. It owns the way
 * blocks are cut into runs, and the options; time.h owns the time, record.h what is handed over.
 *
 * A run is added when its first instruction is reached. So a new one begins at each instruction that may read the
 * time, and behind each one after which a block may be left: what was added has then been executed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/deadline.h"
#include "count.h"
#include "encoding.h"
#include "handler.h"
#include "plan.h"
#include "record.h"
#include "switches.h"
#include "time.h"
#include "weight.h"

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_INTERFACE;

#define STOPPED 98 /* exit status; the record file tells why */

static uint64_t limit; /* ticks of all processors together; 0: none */
static uint64_t most;  /* records; 0: as many as there are */
static volatile bool real_time_is_over;

static uint32_t encoding(const struct qemu_plugin_insn *insn)
{
    uint32_t word = 0;
    qemu_plugin_insn_data(insn, &word, sizeof word);
    return word;
}

/* ---- while the image runs ---- */

static void passed(unsigned index, void *mark)
{
    struct totals totals = count_totals((int)index);
    record_mark((int)index, (uint16_t)(uintptr_t)mark, time_asleep(), time_of((int)index), &totals);
}

static void unknown(unsigned index, void *address)
{
    record_trouble(UNKNOWN_INSTRUCTION, (int)index, (uintptr_t)address);
    /* The counts are worthless from here on, and the file says so. */
    record_end(GUEST_ENDED);
    _exit(STOPPED);
}

/* Ends the run. Whoever set another end than that of ticks wants what is there: nothing failed. */
static void stop(enum ending how)
{
    record_end(how);
    _exit(how == LIMIT_REACHED ? STOPPED : EXIT_SUCCESS);
}

static void quantum_ended(void)
{
    if (limit != 0 && time_all_ticks() >= limit)
        stop(LIMIT_REACHED);
    if (most != 0 && record_count() >= most)
        stop(RECORD_FULL);
    if (real_time_is_over)
        stop(REAL_TIME_OVER);
}

static void time_reached(void *unused)
{
    (void)unused;
    stop(TIME_REACHED);
}

static void real_time_over(void *unused)
{
    (void)unused;
    real_time_is_over = true;
}

/* ---- when the emulator translates a block ---- */

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
    if (count_modelled())
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
    if (touches_memory(b->words[end - 1]))
        switches_watch(qemu_plugin_tb_get_insn(b->block, end - 1), b->weights[end - 1]);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    static struct block b; /* blocks are translated one at a time */
    (void)id;
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

/* ---- beginning and end ---- */

struct options {
    int64_t cycle, quantum, stretch, vary, limit, until, seconds, most;
    const char *plan, *table, *out, *time, *progress;
};

static struct options chosen;

static void processor_made(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    time_add_processor((int)index);
    handler_find();
    if (index != 0)
        return;
    if (chosen.until)
        deadline_virtual(chosen.until, time_reached);
    if (chosen.seconds)
        deadline_real(chosen.seconds, real_time_over);
    if (chosen.progress)
        deadline_progress(chosen.progress);
}

static void ended(qemu_plugin_id_t id, void *unused)
{
    (void)id;
    (void)unused;
    record_end(GUEST_ENDED);
}

static bool number(const char *text, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return *text != '\0' && *end == '\0' && *value > 0;
}

/* Takes one `name=value`; false when it is no option. */
static bool option(const char *argument, struct options *options)
{
    const struct { const char *name; int64_t *value; } numbers[] = {
        { "cycle=", &options->cycle }, { "quantum=", &options->quantum },
        { "stretch=", &options->stretch }, { "vary=", &options->vary }, { "limit=", &options->limit },
        { "until=", &options->until }, { "seconds=", &options->seconds }, { "most=", &options->most },
    };
    const struct { const char *name; const char **value; } texts[] = {
        { "plan=", &options->plan }, { "table=", &options->table }, { "out=", &options->out },
        { "time=", &options->time }, { "progress=", &options->progress },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strncmp(argument, numbers[i].name, strlen(numbers[i].name)) == 0)
            return number(argument + strlen(numbers[i].name), numbers[i].value);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strncmp(argument, texts[i].name, strlen(texts[i].name)) == 0) {
            *texts[i].value = strdup(argument + strlen(texts[i].name));
            return **texts[i].value != '\0';
        }
    return false;
}

static bool complete(const struct options *options)
{
    bool cycles = strcmp(options->time, "cycles") == 0;
    return (cycles ? options->table != NULL : strcmp(options->time, "instructions") == 0) &&
           (options->plan == NULL || options->out != NULL);
}

/* Reads the files that the options name, and opens the record. */
static bool files(const struct options *options, int processors)
{
    if (options->table && !table_read(options->table))
        return false;
    if (options->plan && !plan_read(options->plan))
        return false;
    count_begin(options->table != NULL, strcmp(options->time, "cycles") == 0);
    struct time_options time = {
        .cycle = options->cycle,
        .quantum = options->quantum * 1000,
        .stretch = options->stretch == 2,
        .seed = (uint64_t)options->vary,
        .quantum_ended = quantum_ended,
    };
    limit = (uint64_t)options->limit;
    most = (uint64_t)options->most;
    switches_begin();
    return time_begin(processors, count_time(), time) &&
           (!options->out || record_open(options->out, processors));
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                                      char **arguments)
{
    struct options options = { .cycle = 1000, .quantum = 100, .stretch = 2, .time = "instructions" };
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && option(arguments[i], &options);
    if (!good || !complete(&options)) {
        fprintf(stderr,
                "taktos-clock: options are cycle=PICOSECONDS, quantum=NANOSECONDS, stretch=1|2, vary=SEED, "
                "limit=TICKS, until=NANOSECONDS, seconds=SECONDS, most=RECORDS, progress=FILE, plan=FILE with out=FILE, table=FILE, and time=instructions|cycles, the "
                "latter with a table\n");
        return -1;
    }
    chosen = options;
    encoding_choose(info->target_name);
    if (!files(&options, info->system.smp_vcpus))
        return -1;
    qemu_plugin_register_vcpu_init_cb(id, processor_made);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
