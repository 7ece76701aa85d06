/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock: counts, exactly and from outside, what emulated processors execute. It owns the options, and which of the
 * two ways of counting a run has (counter.h); record.h has what is handed over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count.h"
#include "counter.h"
#include "emulator.h"
#include "encoding.h"
#include "end.h"
#include "followed.h"
#include "handler.h"
#include "plan.h"
#include "record.h"
#include "rest.h"
#include "switches.h"
#include "time.h"

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_INTERFACE;

const struct counter *counter = &summed;

struct options {
    int64_t cycle, quantum, stretch, vary, limit, until, seconds, most, resting;
    const char *plan, *table, *out, *time, *progress, *reference, *timers;
};

static struct options chosen;
static const char *target;

/* ---- while the image runs ---- */

static void quantum_ended(void)
{
    end_check(time_all_ticks());
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    counter->translate(block);
}

static void processor_made(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    if (counter == &summed)
        time_add_processor((int)index);
    else
        rest_add_processor();
    if (counter == &followed && !followed_add_processor())
        exit(EXIT_FAILURE);
    if ((int64_t)index != chosen.resting)
        return;
    handler_find(target);
    end_begin(&(struct limits){
        .executed = (uint64_t)chosen.limit,
        .records = (uint64_t)chosen.most,
        .until = chosen.until,
        .seconds = chosen.seconds,
        .progress = chosen.progress,
    });
}

static void ended(qemu_plugin_id_t id, void *unused)
{
    (void)id;
    (void)unused;
    record_end(GUEST_ENDED);
}

/* Where the emulator counts and nobody else does. */
static int64_t emulators_time(void) { return qemu_clock_get_ns(VIRTUAL_CLOCK); }

static const struct counter uncounted = { rest_translated, NULL, NULL, emulators_time };

/* ---- options ---- */

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
        { "resting=", &options->resting },
    };
    const struct { const char *name; const char **value; } texts[] = {
        { "plan=", &options->plan }, { "table=", &options->table }, { "out=", &options->out },
        { "time=", &options->time }, { "progress=", &options->progress },
        { "reference=", &options->reference }, { "timers=", &options->timers },
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

static bool is(const char *text, const char *other) { return strcmp(text, other) == 0; }

static bool complete(const struct options *options)
{
    if (is(options->time, "counted"))
        return !options->plan && !options->table && !options->out;
    bool table_needed = !is(options->time, "instructions");
    if (!is(options->timers, "registers") && !is(options->timers, "memory"))
        return false;
    bool known = !table_needed || is(options->time, "cycles") || is(options->time, "emulator");
    return known && (options->table || !table_needed) && (!options->plan || options->out);
}

static bool is_followed(const struct options *options) { return is(options->time, "emulator"); }

/* Where the emulator counts, there is one processor: of several, each would have the others' instructions. */
static bool one(int processors)
{
    if (processors != 1)
        fprintf(stderr, "taktos-clock: the emulator counts the time of one processor only\n");
    return processors == 1;
}

/* Begins the way of counting that the options choose. */
static bool counter_begin(const struct options *options, int processors)
{
    if (is(options->time, "counted")) {
        counter = &uncounted;
        return one(processors) && rest_begin();
    }
    if (is_followed(options)) {
        counter = &followed;
        followed_begin(is(options->reference, "on"));
        return rest_begin();
    }
    count_begin(is(options->time, "cycles"));
    struct time_options time = {
        .cycle = options->cycle,
        .quantum = options->quantum * 1000,
        .stretch = options->stretch == 2,
        .stores = is(options->timers, "memory"),
        .seed = (uint64_t)options->vary,
        .quantum_ended = quantum_ended,
    };
    return time_begin(processors, count_time(), time);
}

/* Reads the files that the options name, and opens the record. */
static bool begin(const struct options *options, int processors)
{
    if (options->table && !table_read(options->table))
        return false;
    if (options->plan && !plan_read(options->plan))
        return false;
    switches_begin();
    return counter_begin(options, processors) && (!options->out || record_open(options->out, processors, (int)options->resting));
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                                      char **arguments)
{
    chosen = (struct options){ .cycle = 1000, .quantum = 100, .stretch = 2, .time = "instructions",
                               .reference = "off", .timers = "registers" };
    bool good = true;
    for (int i = 0; i < count; i++)
        good = good && option(arguments[i], &chosen);
    if (!good || !complete(&chosen)) {
        fprintf(stderr,
                "taktos-clock: options are cycle=PICOSECONDS, quantum=NANOSECONDS, stretch=1|2, vary=SEED, limit=TICKS, "
                "until=NANOSECONDS, seconds=SECONDS, most=RECORDS, progress=FILE, plan=FILE with out=FILE, table=FILE, "
                "reference=on|off, resting=PROCESSORS, timers=registers|memory, time=instructions|cycles|emulator, the latter two with a table, or time=counted without any of these files\n");
        return -1;
    }
    target = strdup(info->target_name);
    encoding_choose(target);
    if (!begin(&chosen, info->system.smp_vcpus))
        return -1;
    qemu_plugin_register_vcpu_init_cb(id, processor_made);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
