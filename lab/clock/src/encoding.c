/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "encoding.h"

#include <string.h>

static bool is_riscv;

void encoding_choose(const char *target)
{
    is_riscv = strncmp(target, "riscv", 5) == 0;
}

#define RISCV_SYSTEM 0x73u
#define STIMECMP 0x14du

bool may_read_time(uint32_t word)
{
    return is_riscv ? (word & 0x7f) == RISCV_SYSTEM : (word & 0xff000000) == 0xd5000000;
}

/* MSR to a register of the timers: those of EL0 and EL1 (op1 is 3), and those of EL2 (op1 is 4). */
static bool arm_sets_timer(uint32_t word)
{
    return (word & 0xfffff000) == 0xd51be000 || (word & 0xfffff000) == 0xd51ce000;
}

bool may_set_timer(uint32_t word)
{
    return is_riscv ? (word & 0x7f) == RISCV_SYSTEM && word >> 20 == STIMECMP : arm_sets_timer(word);
}

/* Unprivileged specification, chapters "RV32/64G Instruction Set Listings" and "C" Extension: the major opcodes
 * LOAD, LOAD-FP, STORE, STORE-FP and AMO; of the 16-bit ones, quadrant 0 but for C.ADDI4SPN, and the forms of
 * quadrant 2 that go by the stack pointer. */
static bool riscv_touches_memory(uint32_t word)
{
    unsigned function = word >> 13 & 7;
    switch (word & 3) {
    case 0:
        return function != 0;
    case 1:
        return false;
    case 2:
        return (function & 3) != 0;
    }
    switch (word & 0x7f) {
    case 0x03: case 0x07: case 0x23: case 0x27: case 0x2f:
        return true;
    }
    return false;
}

/* Arm Architecture Reference Manual for A-profile, C4.1: bits 28 to 25 are x1x0 in "Loads and Stores". */
bool touches_memory(uint32_t word)
{
    return is_riscv ? riscv_touches_memory(word) : (word & 0x0a000000) == 0x08000000;
}
