/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holds.h"

#include <stdlib.h>

#include "counter.h"
#include "plan.h"
#include "record.h"
#include "registers.h"

/* An instruction that stores, once for each block that it was translated in. It is kept as long as the run lasts. */
struct place {
    void *data;
    uint64_t address, longest; /* the longest hold that began here */
};

/* Where the present hold began, and what its processor had executed before; no place: nobody has the lock. */
static struct place *taken;
static uint64_t before;

static void stored(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    struct place *place = data;
    if (plan_lock() < address || plan_lock() - address >= 1ull << qemu_plugin_mem_size_shift(info))
        return;
    /* Others may store to the word while it is held, and leave the byte as it is. What was stored is read from the memory, for
     * of an atomic operation the emulator tells the operand. */
    bool held = memory_value(plan_lock(), 1) != 0;
    if (held == (taken != NULL))
        return;
    uint64_t now = counter->before((int)index, place->data).totals.all.instructions;
    if (held) {
        taken = place;
        before = now;
        return;
    }
    if (now - before > taken->longest) {
        taken->longest = now - before;
        record_hold((int)index, taken->address, taken->longest);
    }
    taken = NULL;
}

void holds_watch(struct qemu_plugin_insn *insn, void *data)
{
    if (!plan_lock())
        return;
    struct place *place = malloc(sizeof *place);
    if (!place)
        abort();
    *place = (struct place){ data, qemu_plugin_insn_vaddr(insn), 0 };
    qemu_plugin_register_vcpu_mem_cb(insn, stored, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, place);
}
