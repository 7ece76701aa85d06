/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "handler.h"

#include <stdint.h>
#include <string.h>

#include "registers.h"

/* AArch64: handlers have the stack pointer of their exception level, threads have that of level 0. */
static bool own_stack_pointer(uint64_t cpsr) { return cpsr & 1; }
/* RISC-V: the scratch register holds the handlers' stack, and 0 while it is in use. */
static bool stack_in_use(uint64_t sscratch) { return sscratch == 0; }
/* Arm's microcontroller profile: the number of the exception. */
static bool exception_number(uint64_t xpsr) { return xpsr & 0x1ff; }
/* Arm of 32 bits otherwise: threads have the system mode to themselves. */
static bool other_mode(uint64_t cpsr) { return (cpsr & 0x1f) != 0x1f; }

/* Where the emulators of an architecture show it; `thread`: a value that is no handler's. */
static const struct place {
    const char *target, *name;
    bool (*tells)(uint64_t value);
    uint64_t thread;
} places[] = {
    { "aarch64", "cpsr", own_stack_pointer, 0 },
    { "riscv64", "sscratch", stack_in_use, 1 },
    { "arm", "xpsr", exception_number, 0 },
    { "arm", "cpsr", other_mode, 0x1f },
};

static const struct place *place;
static struct qemu_plugin_register *shown;

void handler_find(const char *target)
{
    for (size_t i = 0; !shown && i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].target, target) == 0) {
            place = &places[i];
            shown = register_named(place->name);
        }
}

bool handler_runs(void)
{
    return shown && place->tells(register_value(shown, place->thread));
}
