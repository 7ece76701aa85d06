/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the emulated processors' registers and memory. It must never know what they mean. */
#ifndef TAKTOS_REGISTERS_H
#define TAKTOS_REGISTERS_H

#include <stdint.h>

#include "qemu_plugin.h"

/* The register of this name, of the processor that has just been made: all are alike. NULL: there is none. */
struct qemu_plugin_register *register_named(const char *name);

/* Its value, of the processor whose instruction is observed; `otherwise` where the emulator does not tell. */
uint64_t register_value(struct qemu_plugin_register *which, uint64_t otherwise);

/* So many bytes of the image's memory, at most eight; 0 where there are none. */
uint64_t memory_value(uint64_t address, uint32_t bytes);

#endif
