/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arm.h"

#include <stdio.h>

#include "registers.h"

static struct qemu_plugin_register *status, *sp, *lr, *psp;

#define STACKED_PC 24u /* offset of the return address in an exception frame */
#define LR_FRAME_ON_PSP 4u

/* The profiles name their registers differently. */
static struct qemu_plugin_register *either(const char *name, const char *other)
{
    struct qemu_plugin_register *found = register_named(name);
    return found ? found : register_named(other);
}

bool arm_find(void)
{
    status = either("xpsr", "cpsr");
    sp = either("sp", "r13");
    lr = either("lr", "r14");
    psp = register_named("psp");
    if (status && sp && lr)
        return true;
    fprintf(stderr, "taktos-clock: the emulator does not show the processor's registers\n");
    return false;
}

uint32_t arm_status(void) { return (uint32_t)register_value(status, 0); }
uint32_t arm_stack_pointer(void) { return (uint32_t)register_value(sp, 0); }

uint32_t arm_stacked_address(void)
{
    bool on_psp = register_value(lr, 0) & LR_FRAME_ON_PSP;
    uint32_t frame = (uint32_t)register_value(on_psp ? psp : sp, 0);
    return (uint32_t)memory_value(frame + STACKED_PC, sizeof(uint32_t));
}

bool arm_condition_holds(uint8_t condition)
{
    uint32_t flags = arm_status();
    bool n = flags >> 31 & 1, z = flags >> 30 & 1, c = flags >> 29 & 1, v = flags >> 28 & 1;
    const bool plain[8] = { z, c, n, v, c && !z, n == v, n == v && !z, true };
    bool holds = plain[condition >> 1 & 7];
    return condition & 1 && condition != 15 ? !holds : holds;
}
