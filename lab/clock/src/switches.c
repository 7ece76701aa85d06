/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "switches.h"

#include "counter.h"
#include "handler.h"
#include "plan.h"
#include "record.h"
#include "registers.h"
#include "threads.h"
#include "time.h"

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

/* A store of an instruction that a processor executes. */
struct store {
    int processor;
    qemu_plugin_meminfo_t info;
    uint64_t address, width;
    void *data;
};

/* The word at `address` of what was stored; false: it was not all of it. */
static bool stored_word(const struct store *store, uint64_t address, uint32_t bytes, uint64_t *word)
{
    if (store->address > address || address + bytes > store->address + store->width)
        return false;
    uint64_t bits = stored_bits(qemu_plugin_mem_get_value(store->info), address - store->address);
    *word = bytes == sizeof(uint32_t) ? (uint32_t)bits : bits;
    return true;
}

/* Whether the store is to the memory of whom the watch is. */
static bool is_meant(const struct watch *watch, const struct store *store)
{
    if (!watch->translated)
        return true;
    struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(store->info, store->address);
    if (!where || qemu_plugin_hwaddr_is_io(where))
        return false;
    uint64_t physical = qemu_plugin_hwaddr_phys_addr(where);
    return physical == store->address + watch->offset && physical - watch->physical < watch->size;
}

/* Where a thread's name is and how long it is, or the 16 bytes of the name itself; both 0 where nothing says so. */
struct name {
    uint64_t text, length;
};

static struct name name_of(const struct watch *watch, uint64_t thread)
{
    if (thread && watch->called)
        return (struct name){ memory_value(thread + watch->name, 8), memory_value(thread + watch->name + 8, 8) };
    uint64_t information = thread && watch->named ? memory_value(thread + watch->information, watch->word) : 0;
    if (!information)
        return (struct name){ 0, 0 };
    return (struct name){ memory_value(information, watch->word), memory_value(information + watch->word, watch->word) };
}

static void switched(struct watch *watch, uint64_t cell, uint64_t thread, const struct store *store)
{
    int own = (int)cell + record_resting(), self = store->processor;
    unsigned guest = (unsigned)(watch - watches);
    struct moment at = counter->before(self, store->data);
    /* Which processor executes a guest is not the guest's number of it. */
    int processor = guest ? self : own;
    if (processor != self)
        at.totals = counter->now(processor).totals;
    struct standing left = threads_look(watch->threads, watch->running[cell]);
    struct standing next = threads_look(watch->threads, thread);
    struct name name = name_of(watch, thread);
    record_switch(processor, (struct whose){ guest, (unsigned)cell }, thread, &at, name.text, name.length, left, next);
    watch->running[cell] = thread;
}

static void look(struct watch *watch, const struct store *store)
{
    uint64_t extent = watch->stride * (watch->count - 1) + watch->word;
    bool near = threads_near(watch->threads, store->address, store->width);
    bool beside = store->address >= watch->base + extent || store->address + store->width <= watch->base;
    if ((!near && beside) || !is_meant(watch, store))
        return;
    struct woken woken = { 0 };
    if (near)
        woken = threads_woken(watch->threads, store->address, store->width);
    if (woken.thread)
        record_wake(store->processor, (unsigned)(watch - watches), woken, handler_runs(),
                    counter->before(store->processor, store->data).time);
    for (uint64_t i = 0; !beside && i < watch->count; i++) {
        uint64_t thread;
        if (stored_word(store, watch->base + i * watch->stride, watch->word, &thread))
            switched(watch, i, thread, store);
    }
}

static void stored(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    uint64_t width = 1ull << qemu_plugin_mem_size_shift(info);
    struct store store = { (int)index, info, address, width, data };
    for (unsigned i = 0; i < watch_count; i++)
        look(&watches[i], &store);
}

void switches_begin(void)
{
    for (struct watch *watch = watches; watch < watches + watch_count; watch++)
        if (watch->standing || watch->bytes.count)
            watch->threads = threads_of((struct thread_layout){ .bytes = watch->bytes, .urgency = watch->urgency,
                                                                .wait = watch->wait,
                                                                .suspended = (uint32_t)watch->suspended,
                                                                .word = watch->word, .read = memory_value });
}

void switches_watch(struct qemu_plugin_insn *insn, void *data)
{
    if (watch_count)
        qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, data);
}
