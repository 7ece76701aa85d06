/* What a C program has of Taktos beside the standard's calls (cmsis_os2.h): an end, a console, interrupts.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TAKTOS_H_
#define TAKTOS_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the program; in an emulator, which ends with `status` then (0: success). */
__attribute__((noreturn)) void taktos_exit(int32_t status);

/* Writes so many characters to the board's console. Allowed everywhere. What is not UTF-8 is left out. */
void taktos_write(const char *text, size_t length);

/* The handler of the interrupt with this number, a plain one or a macro of one, as the board's interrupt controller counts: on a Cortex-M the
 * position in the chip's table of vectors, on an Arm GIC 32 + n for the shared interrupt n, on RISC-V 16 + n for the source n of the PLIC.
 *
 *     TAKTOS_INTERRUPT(13) { osSemaphoreRelease(received); }
 *     ...
 *     TAKTOS_INTERRUPT_ENABLE(13);
 *
 * It may call what the standard allows in handlers. On a Cortex-M priorities can also be set by the usual means: osKernelInitialize puts
 * all interrupts whose priority is still 0 at the kernel's level (0x80); a handler of a higher priority (below 0x80) is never delayed by
 * the kernel, and its calls give osErrorISR. */
#define TAKTOS_INTERRUPT(number) void TAKTOS_INTERRUPT_NAME(number)(void)
#define TAKTOS_INTERRUPT_ENABLE(number) taktos_interrupt_enable(number, TAKTOS_INTERRUPT_NAME(number))
#define TAKTOS_INTERRUPT_NAME(number) TAKTOS_INTERRUPT_NAME_OF(number)
#define TAKTOS_INTERRUPT_NAME_OF(number) taktos_interrupt_##number

/* Lets an interrupt reach its handler, keeps it back, makes it pending as its device would: 0, or -4 for one that the board has not. */
int32_t taktos_interrupt_enable(uint32_t number, void (*handler)(void));
int32_t taktos_interrupt_disable(uint32_t number);
int32_t taktos_interrupt_pend(uint32_t number);

#ifdef __cplusplus
}
#endif

#endif /* TAKTOS_H_ */
