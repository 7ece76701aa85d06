/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers.h"

#include <stdio.h>
#include <string.h>

#include "qemu_plugin.h"

enum { STATUS, SP, LR, PSP, REGISTERS };
static struct qemu_plugin_register *handles[REGISTERS];
static GByteArray *bytes;

#define STACKED_PC 24        /* offset of the return address in an exception frame */
#define LR_FRAME_ON_PSP 4u

bool registers_find(void)
{
    static const char *const names[] = { "xpsr", "cpsr", "sp", "r13", "lr", "r14", "psp" };
    static const int which[] = { STATUS, STATUS, SP, SP, LR, LR, PSP };
    bytes = g_byte_array_new();
    GArray *list = qemu_plugin_get_registers();
    qemu_plugin_reg_descriptor *found = (qemu_plugin_reg_descriptor *)list->data;
    for (unsigned i = 0; i < list->len; i++)
        for (unsigned n = 0; n < sizeof which / sizeof *which; n++)
            if (!handles[which[n]] && strcmp(found[i].name, names[n]) == 0)
                handles[which[n]] = found[i].handle;
    if (handles[STATUS] && handles[SP] && handles[LR])
        return true;
    fprintf(stderr, "taktos-clock: the emulator does not show the processor's registers\n");
    return false;
}

static uint32_t value(void)
{
    uint32_t v = 0;
    memcpy(&v, bytes->data, bytes->len < sizeof v ? bytes->len : sizeof v);
    return v;
}

static uint32_t read_register(int which)
{
    g_byte_array_set_size(bytes, 0);
    if (!handles[which])
        return 0;
    qemu_plugin_read_register(handles[which], bytes);
    return value();
}

uint32_t register_status(void) { return read_register(STATUS); }
uint32_t register_sp(void) { return read_register(SP); }
uint32_t register_lr(void) { return read_register(LR); }

uint32_t memory_word(uint32_t address)
{
    g_byte_array_set_size(bytes, 0);
    return qemu_plugin_read_memory_vaddr(address, bytes, 4) ? value() : 0;
}

uint32_t stacked_address(void)
{
    return memory_word(read_register(register_lr() & LR_FRAME_ON_PSP ? PSP : SP) + STACKED_PC);
}

bool condition_holds(uint8_t condition)
{
    uint32_t status = register_status();
    bool n = status >> 31 & 1, z = status >> 30 & 1, c = status >> 29 & 1, v = status >> 28 & 1;
    const bool plain[8] = { z, c, n, v, c && !z, n == v, n == v && !z, true };
    bool holds = plain[condition >> 1 & 7];
    return condition & 1 && condition != 15 ? !holds : holds;
}
