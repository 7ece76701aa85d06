/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers.h"

#include <string.h>

static GByteArray *empty(void)
{
    static GByteArray *bytes;
    if (!bytes)
        bytes = g_byte_array_new();
    return g_byte_array_set_size(bytes, 0);
}

struct qemu_plugin_register *register_named(const char *name)
{
    static GArray *list; /* of the first processor */
    if (!list)
        list = qemu_plugin_get_registers();
    qemu_plugin_reg_descriptor *found = (qemu_plugin_reg_descriptor *)list->data;
    for (unsigned i = 0; i < list->len; i++)
        if (strcmp(found[i].name, name) == 0)
            return found[i].handle;
    return NULL;
}

uint64_t register_value(struct qemu_plugin_register *which, uint64_t otherwise)
{
    uint64_t value = 0;
    GByteArray *bytes = empty();
    if (!which || qemu_plugin_read_register(which, bytes) <= 0 || bytes->len > sizeof value)
        return otherwise;
    memcpy(&value, bytes->data, bytes->len);
    return value;
}

uint64_t memory_value(uint64_t address, uint32_t width)
{
    uint64_t value = 0;
    GByteArray *bytes = empty();
    if (qemu_plugin_read_memory_vaddr(address, bytes, width) && bytes->len == width)
        memcpy(&value, bytes->data, width);
    return value;
}
