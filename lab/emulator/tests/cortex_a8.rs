//! The clock on a Cortex-A8.

mod common;

use common::{Image, counts};
use taktos_cycles::model::cortex_a8::EVENTS;
use taktos_emulator::{Board, Record};

const BOARD: Board = Board::REALVIEW_PB_A8;

fn run(image: &Image) -> Record {
    image.run_as_reference(BOARD)
}

/// Interrupts, system calls, undefined instructions and aborts at many places of a
/// program with device accesses and conditions of all kinds.
#[test]
fn one_call_a_block_counts_like_one_call_an_instruction() {
    let mut image = Image::of(BOARD, include_str!("images/cortex_a8.lst"));
    for period in [3, 7, 50] {
        image.set(BOARD, "period", period);
        let record = run(&image);
        assert_eq!(record.samples("body").len(), 20_000);
        let exceptions = record.exceptions;
        assert_eq!(exceptions.entries, exceptions.returns);
        // 312 system calls, 156 undefined instructions, 156 aborts, and interrupts.
        assert!(exceptions.entries + exceptions.chains > 624);
        assert_eq!(record.switches.len(), 78);
        assert_eq!(record.switches[0].thread, 19_968);
    }
}

#[test]
fn known_sequences_have_known_counts() {
    let image = Image::of(
        BOARD,
        "
        _vector_table:
        ea000006    b reset
        eafffffe    b .
        e1b0f00e    movs pc, lr
        eafffffe    b .
        eafffffe    b .
        eafffffe    b .
        eafffffe    b .
        eafffffe    b .
        reset: function
        e3070000    movw r0, #0x7000
        e1a00800    lsl r0, r0, #16
        ee0c0f10    mcr p15, 0, r0, c12, c0, 0
        e28d0a01    add r0, sp, #4096
        e3a04000    mov r4, #0
        taktos.mark.pair.begin:
        e3a01001    mov r1, #1          cycle 1
        e3a02002    mov r2, #2          cycle 1
        e0813002    add r3, r1, r2      cycle 2
        e0833002    add r3, r3, r2      cycle 3
        taktos.mark.pair.end:
        e320f000    nop
        e320f000    nop
        taktos.mark.call.begin:
        ef000000    svc 0               1; 13; return 1; 13
        taktos.mark.call.end:
        e3a00018    mov r0, #0x18
        e3001026    movw r1, #0x26
        e3401002    movt r1, #2
        ef123456    svc 0x123456
        eafffffe    b .
        ",
    );
    let record = run(&image);
    assert_eq!(counts(&record, "pair"), [(4, 3)]);
    let exceptions = u64::from(EVENTS.entry + EVENTS.exit);
    assert_eq!(counts(&record, "call"), [(2, 1 + 1 + exceptions)]);
    assert_eq!(record.exit_status, 0);
}

/// Section 16.4.5 of the manual: the processor schedules an instruction as if its condition held.
/// And code of the other instruction set, called by BLX.
#[test]
fn failing_conditions_and_t32_have_known_counts() {
    let listing = "
        _vector_table:
        ea000006    b reset
        VECTORS
        reset: function
        e3a04000    mov r4, #0
        e1a0900f    mov r9, pc
        e3540000    cmp r4, #0
        APART
        taktos.mark.skipped.begin:
        189901e0    ldmne r9, {r5-r8}   3, though the condition fails
        taktos.mark.skipped.end:
        APART
        taktos.mark.done.begin:
        089901e0    ldmeq r9, {r5-r8}   3
        taktos.mark.done.end:
        APART
        taktos.mark.thumb.begin:
        fa000004    blx thumb           1
        taktos.mark.thumb.end:
        e3a00018    mov r0, #0x18
        e3001026    movw r1, #0x26
        e3401002    movt r1, #2
        ef123456    svc 0x123456
        eafffffe    b .
        thumb: function
        2005        movs r0, #5         1
        2c00        cmp r4, #0          2
        bf14        ite ne              2
        2101        movne r1, #1        3
        2102        moveq r1, #2        4
        f04f 0307   mov.w r3, #7        4
        fb00 f203   mul r2, r0, r3      5, 6
        e8b9 01e0   ldmia r9!, {r5-r8}  7, 8, 9
        4770        bx lr               9
        bf00        nop
        ";
    // The distance is such that no instruction waits for earlier ones.
    let filled = listing
        .replace("VECTORS", &"eafffffe b .\n".repeat(7))
        .replace("APART", &"e320f000 nop\n".repeat(8));
    let record = run(&Image::of(BOARD, &filled));
    assert_eq!(counts(&record, "skipped"), [(1, 3)]);
    assert_eq!(counts(&record, "done"), [(1, 3)]);
    assert_eq!(counts(&record, "thumb"), [(10, 9)]);
    assert_eq!(record.exit_status, 0);
}
