/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "handler.h"

#include <string.h>

#include "../src/qemu_plugin.h"

/* AArch64: handlers have the stack pointer of their exception level, threads have that of level 0. */
#define STATUS "cpsr"
#define OWN_STACK_POINTER 1u
/* RISC-V: the scratch register holds the handlers' stack, and 0 while it is in use. */
#define SCRATCH "sscratch"

static struct qemu_plugin_register *status, *scratch;
static GByteArray *bytes;

void handler_find(void)
{
    if (bytes)
        return;
    bytes = g_byte_array_new();
    GArray *list = qemu_plugin_get_registers();
    qemu_plugin_reg_descriptor *found = (qemu_plugin_reg_descriptor *)list->data;
    for (unsigned i = 0; i < list->len; i++) {
        if (strcmp(found[i].name, STATUS) == 0)
            status = found[i].handle;
        if (strcmp(found[i].name, SCRATCH) == 0)
            scratch = found[i].handle;
    }
}

static uint64_t value(struct qemu_plugin_register *which, uint64_t otherwise)
{
    uint64_t value = 0;
    g_byte_array_set_size(bytes, 0);
    if (qemu_plugin_read_register(which, bytes) <= 0 || bytes->len > sizeof value)
        return otherwise;
    memcpy(&value, bytes->data, bytes->len);
    return value;
}

bool handler_runs(void)
{
    if (status)
        return value(status, 0) & OWN_STACK_POINTER;
    return scratch && value(scratch, 1) == 0;
}
