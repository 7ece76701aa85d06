//! A small kernel from elsewhere, in the manner of FreeRTOS on a Cortex-M. A word names the current
//! task, a tick of a millisecond requests a switch, and the lowest exception switches. It never
//! ends. Each turn of its first task executes 42 instructions from `filter` to `filtered`. Its
//! first output goes by semihosting. The first task is called `front` 4 bytes into its block, and
//! the other has no name.
#![no_std]
#![no_main]

core::arch::global_asm!(
    r#"
    .syntax unified
    .thumb
    .section .vector_table, "a", %progbits
    .word 0x20010000
    .word reset
    .rept 12
    .word 0
    .endr
    .word pend_switch
    .word tick

    .section .bss, "aw", %nobits
    .global pxCurrentTCB, tcb_a, tcb_b
pxCurrentTCB: .space 4
tcb_a: .space 16
tcb_b: .space 16

    .section .rodata, "a", %progbits
greeting: .asciz "begins\n"

    .text
    .global reset, filter, filtered
    .type reset, %function
reset:
    movs r0, #4
    ldr r1, =greeting
    bkpt 0xab
    ldr r0, =tcb_a
    ldr r1, =0x20004000 - 64
    ldr r2, =task_a
    bl frame
    ldr r0, =tcb_b
    ldr r1, =0x20005000 - 64
    ldr r2, =task_b
    bl frame
    ldr r0, =tcb_a
    ldr r1, =0x6e6f7266
    str r1, [r0, #4]
    movs r1, #0x74
    str r1, [r0, #8]
    ldr r0, =pxCurrentTCB
    ldr r1, =tcb_a
    str r1, [r0]
    ldr r0, =0xe000ed20
    ldr r1, =0xffff0000
    str r1, [r0]
    ldr r0, =0xe000e010
    ldr r1, =24999
    str r1, [r0, #4]
    movs r1, #0
    str r1, [r0, #8]
    movs r1, #7
    str r1, [r0]
    ldr r0, =0x20004000
    msr psp, r0
    movs r0, #2
    msr control, r0
    isb
    b task_a

    .type frame, %function
frame:
    bic r2, r2, #1
    str r2, [r1, #56]
    mov r3, #0x01000000
    str r3, [r1, #60]
    str r1, [r0]
    bx lr

    .type task_a, %function
task_a:
    bl filter
filtered:
    wfi
    b task_a

    .type filter, %function
    .type _ZN4work6twenty17h0123456789abcdefE, %function
filter:
// A second name of this place, as a compiler would call `work::twenty` of a Rust program.
_ZN4work6twenty17h0123456789abcdefE:
    movs r0, #20
1:  subs r0, #1
    bne 1b
    bx lr

    .type task_b, %function
task_b:
    wfi
    b task_b

    .type tick, %function
tick:
    ldr r0, =0xe000ed04
    mov r1, #0x10000000
    str r1, [r0]
    bx lr

    .type pend_switch, %function
pend_switch:
    mrs r0, psp
    stmdb r0!, {{r4-r11}}
    ldr r3, =pxCurrentTCB
    ldr r2, [r3]
    str r0, [r2]
    ldr r1, =tcb_a
    cmp r2, r1
    bne 1f
    ldr r1, =tcb_b
1:  str r1, [r3]
    ldr r0, [r1]
    ldmia r0!, {{r4-r11}}
    msr psp, r0
    bx lr
    .ltorg
"#
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
