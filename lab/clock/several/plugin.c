/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock for several processors: counts the instructions of each, and lets time pass
 * by them alone. It owns the way blocks are cut into runs; time.h owns the time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "time.h"

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_INTERFACE;

static qemu_plugin_u64 counts;
static bool is_riscv;

static uint32_t encoding(const struct qemu_plugin_insn *insn)
{
    uint32_t word = 0;
    qemu_plugin_insn_data(insn, &word, sizeof word);
    return word;
}

/* Instructions that may read the time: system registers. What ran before them is added before them. */
static bool may_read_time(const struct qemu_plugin_insn *insn)
{
    uint32_t word = encoding(insn);
    return is_riscv ? (word & 0x7f) == 0x73 : (word & 0xff000000) == 0xd5000000;
}

/* Instructions that may set a timer: writes of the generic timers' registers, and of stimecmp. */
static bool may_set_timer(const struct qemu_plugin_insn *insn)
{
    uint32_t word = encoding(insn);
    return is_riscv ? (word & 0x7f) == 0x73 && word >> 20 == 0x14d
                    : (word & 0xfffff000) == 0xd51be000;
}

/* One addition for each run of instructions, a new run at each that may read the time. */
static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cond_cb(block, time_gate, QEMU_PLUGIN_CB_NO_REGS,
                                              QEMU_PLUGIN_COND_GE, counts, FULL, NULL);
    size_t length = qemu_plugin_tb_n_insns(block);
    for (size_t begin = 0, end; begin < length; begin = end) {
        end = begin + 1;
        while (end < length && !may_read_time(qemu_plugin_tb_get_insn(block, end)))
            end++;
        qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(qemu_plugin_tb_get_insn(block, begin),
                                                            QEMU_PLUGIN_INLINE_ADD_U64, counts,
                                                            end - begin);
        if (may_set_timer(qemu_plugin_tb_get_insn(block, begin)))
            qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(block, begin),
                                                   time_timer_changes, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
}

static void processor_made(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    time_add_processor((int)index);
}

static bool option(const char *argument, const char *name, int64_t *value)
{
    size_t length = strlen(name);
    char *end;
    if (strncmp(argument, name, length) != 0 || argument[length] != '=')
        return false;
    *value = strtoll(argument + length + 1, &end, 10);
    return *end == '\0' && *value > 0;
}

PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int count,
                                      char **arguments)
{
    int64_t cycle = 1000, quantum = 100, stretch = 2;
    for (int i = 0; i < count; i++)
        if (!option(arguments[i], "cycle", &cycle) && !option(arguments[i], "quantum", &quantum) &&
            !option(arguments[i], "stretch", &stretch)) {
            fprintf(stderr, "taktos-clock: options are cycle=PICOSECONDS, quantum=NANOSECONDS and "
                            "stretch=1|2\n");
            return -1;
        }
    is_riscv = strncmp(info->target_name, "riscv", 5) == 0;
    counts.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
    counts.offset = 0;
    struct time_options options = { cycle, quantum * 1000, stretch == 2 };
    if (!time_begin(info->system.smp_vcpus, counts, options))
        return -1;
    qemu_plugin_register_vcpu_init_cb(id, processor_made);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    return 0;
}
