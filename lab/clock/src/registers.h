/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the emulated processor's registers and memory. */
#ifndef TAKTOS_REGISTERS_H
#define TAKTOS_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the registers of the processor that has just been made. */
bool registers_find(void);

uint32_t register_status(void);  /* xPSR or CPSR */
uint32_t register_sp(void);
uint32_t register_lr(void);

/* Where the innermost exception returns to (microcontroller profile, at the
 * first instruction of its handler). */
uint32_t stacked_address(void);

/* A word of memory; 0 where there is none. */
uint32_t memory_word(uint32_t address);

/* Whether a condition holds, from the flags of the status register. */
bool condition_holds(uint8_t condition);

#endif
