/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of a 32-bit Arm processor that its cycle models ask for. It must never know what anything costs. */
#ifndef TAKTOS_ARM_H
#define TAKTOS_ARM_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the registers of the processor that has just been made; false, with a line on standard error, when they are
 * not shown. */
bool arm_find(void);

uint32_t arm_status(void); /* xPSR or CPSR */
uint32_t arm_stack_pointer(void);

/* Where the innermost exception returns to (microcontroller profile, at the first instruction of its handler). */
uint32_t arm_stacked_address(void);

/* Whether a condition holds, from the flags of the status register. */
bool arm_condition_holds(uint8_t condition);

#endif
