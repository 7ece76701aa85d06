/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "switches.h"

#include "counter.h"
#include "handler.h"
#include "plan.h"
#include "record.h"
#include "registers.h"
#include "threads.h"
#include "time.h"

static uint64_t memory_word(uint64_t address) { return memory_value(address, watch.word); }

/* The bytes of what was stored, from `offset` on. */
static uint64_t stored_bits(qemu_plugin_mem_value value, uint64_t offset)
{
    switch (value.type) {
    case QEMU_PLUGIN_MEM_VALUE_U128:
        return offset < 8 ? value.data.u128.low >> 8 * offset : value.data.u128.high >> 8 * (offset - 8);
    case QEMU_PLUGIN_MEM_VALUE_U64:
        return value.data.u64 >> 8 * offset;
    default:
        return value.data.u32;
    }
}

/* The word at `address` of what was stored in [from, from + width); false: it was not all of it. */
static bool stored_word(uint64_t address, uint64_t from, uint64_t width, qemu_plugin_mem_value value,
                        uint64_t *word)
{
    if (from > address || address + watch.word > from + width)
        return false;
    uint64_t bits = stored_bits(value, address - from);
    *word = watch.word == sizeof(uint32_t) ? (uint32_t)bits : bits;
    return true;
}

static void switched(int processor, uint64_t thread, int self, void *data)
{
    static uint64_t running[MOST_PROCESSORS];
    struct moment at = counter->before(self, data);
    if (processor != self)
        at.totals = counter->now(processor).totals;
    struct standing left = threads_look(running[processor]), next = threads_look(thread);
    uint64_t information = thread && watch.named ? memory_word(thread + watch.information) : 0;
    record_switch(processor, thread, &at, information ? memory_word(information) : 0,
                  information ? memory_word(information + watch.word) : 0, left, next);
    running[processor] = thread;
}

static void stored(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    uint64_t width = 1ull << qemu_plugin_mem_size_shift(info);
    struct woken woken = threads_woken(address, width);
    if (woken.thread)
        record_wake((int)index, woken, handler_runs(), counter->before((int)index, data).time);
    uint64_t extent = watch.stride * (watch.count - 1) + watch.word;
    if (address >= watch.base + extent || address + width <= watch.base)
        return;
    for (uint64_t i = 0; i < watch.count; i++) {
        uint64_t thread;
        if (stored_word(watch.base + i * watch.stride, address, width, qemu_plugin_mem_get_value(info), &thread))
            switched((int)i + record_resting(), thread, (int)index, data);
    }
}

void switches_begin(void)
{
    if (watch.count && watch.standing)
        threads_begin((struct thread_layout){ .urgency = watch.urgency, .wait = watch.wait,
                                              .suspended = (uint32_t)watch.suspended, .word = watch.word,
                                              .read = memory_value });
}

void switches_watch(struct qemu_plugin_insn *insn, void *data)
{
    if (watch.count)
        qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, data);
}
