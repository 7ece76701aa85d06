/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "switches.h"

#include <string.h>

#include "count.h"
#include "handler.h"
#include "plan.h"
#include "record.h"
#include "../src/threads.h"
#include "time.h"

#define WORD sizeof(uint64_t)

static GByteArray *bytes;

/* So many bytes of the image's memory; 0 where there are none. */
static uint64_t memory(uint64_t address, uint32_t width)
{
    uint64_t value = 0;
    if (!bytes)
        bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, 0);
    if (qemu_plugin_read_memory_vaddr(address, bytes, width) && bytes->len == width)
        memcpy(&value, bytes->data, width);
    return value;
}

static uint64_t memory_word(uint64_t address) { return memory(address, WORD); }

/* The word at `address` of what was stored in [from, from + width); false: it was not all of it. */
static bool stored_word(uint64_t address, uint64_t from, uint64_t width, qemu_plugin_mem_value value,
                        uint64_t *word)
{
    if (from > address || address + WORD > from + width)
        return false;
    if (value.type == QEMU_PLUGIN_MEM_VALUE_U128)
        *word = address == from ? value.data.u128.low : value.data.u128.high;
    else
        *word = value.data.u64;
    return value.type >= QEMU_PLUGIN_MEM_VALUE_U64;
}

static void switched(int processor, uint64_t thread, int self, struct weight weight)
{
    struct totals totals = processor == self ? count_totals_before(self, weight.phase, weight.cycles)
                                             : count_totals(processor);
    int64_t time = time_before(self, count_ticks(1, weight.cycles));
    static uint64_t running[MOST_PROCESSORS];
    struct standing left = threads_look(running[processor]), next = threads_look(thread);
    uint64_t information = thread && watch.named ? memory_word(thread + watch.information) : 0;
    record_switch(processor, thread, time, &totals, information ? memory_word(information) : 0,
                  information ? memory_word(information + WORD) : 0, left, next);
    running[processor] = thread;
}

static void *packed(struct weight weight)
{
    return (void *)(uintptr_t)(weight.cycles | (uint64_t)weight.phase << 32);
}

static struct weight unpacked(void *data)
{
    uintptr_t bits = (uintptr_t)data;
    return (struct weight){ (uint32_t)bits, (uint8_t)((uint64_t)bits >> 32), true };
}

static void stored(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    uint64_t width = 1ull << qemu_plugin_mem_size_shift(info);
    struct woken woken = threads_woken(address, width);
    if (woken.thread)
        record_wake((int)index, woken, handler_runs(), time_before((int)index, count_ticks(1, unpacked(data).cycles)));
    uint64_t extent = watch.stride * (watch.count - 1) + WORD;
    if (address >= watch.base + extent || address + width <= watch.base)
        return;
    for (uint64_t i = 0; i < watch.count; i++) {
        uint64_t thread;
        if (stored_word(watch.base + i * watch.stride, address, width, qemu_plugin_mem_get_value(info), &thread))
            switched((int)i, thread, (int)index, unpacked(data));
    }
}

void switches_begin(void)
{
    if (watch.count && watch.standing)
        threads_begin((struct thread_layout){ .urgency = watch.urgency, .wait = watch.wait,
                                              .suspended = (uint32_t)watch.suspended, .word = WORD,
                                              .read = memory });
}

void switches_watch(struct qemu_plugin_insn *insn, struct weight weight)
{
    if (watch.count)
        qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W,
                                         packed(weight));
}
