//! The clock on a Cortex-M4: known sequences with known counts, exceptions, and what
//! must be an error.

mod common;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use common::{Image, counts};
use taktos_emulator::{Board, Ending, Error, Options, Record, Until};

const BOARD: Board = Board::MPS2_AN386;

/// Vectors, then the given code as the reset handler, then the semihosting exit.
fn program(code: &str, handlers: &str) -> Image {
    let vectors = "
        .word 20010000
        .word 00000041
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000000
        .word 00000101
        .word 00000000
        .word 00000000
        .word 00000121
        .word 00000000
        reset: function
        ";
    let exit = "
        2018        movs r0, #0x18
        f240 0126   movw r1, #0x26
        f2c0 0102   movt r1, #2
        beab        bkpt 0xab
        e7fe        b .
        ";
    let nop = "bf00 nop\n";
    let start = format!("{vectors}{code}{exit}");
    let used = code_bytes(&start);
    let filling = nop.repeat((0x100 - used) / 2);
    Image::of(BOARD, &format!("{start}{filling}{handlers}"))
}

/// Bytes of a listing's instructions and words.
fn code_bytes(listing: &str) -> usize {
    let lines = listing
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.ends_with(':'));
    lines
        .filter(|l| !l.ends_with(": function"))
        .map(|l| {
            let half = |t: &str| t.len() == 4 && t.bytes().all(|b| b.is_ascii_hexdigit());
            if l.starts_with(".word") {
                4
            } else {
                2 * l.split(' ').take(2).filter(|t| half(t)).count()
            }
        })
        .sum()
}

fn run(image: &Image) -> Record {
    image.run_as_reference(BOARD)
}

#[test]
fn known_sequences_have_known_counts() {
    let image = program(
        "
        f04f 5500   mov r5, #0x20000000
        2100        movs r1, #0
        taktos.mark.single.begin:
        6828        ldr r0, [r5]            2
        686a        ldr r2, [r5, #4]        1, directly after another
        1880        adds r0, r0, r2         1
        60a8        str r0, [r5, #8]        2
        taktos.mark.single.end:
        taktos.mark.multiple.begin:
        b4f0        push {r4-r7}            1 + 4
        bcf0        pop {r4-r7}             1 + 4
        e9d5 2300   ldrd r2, r3, [r5]       3
        fbb5 f2f5   udiv r2, r5, r5         7
        f3ef 8011   mrs r0, basepri         2
        f3bf 8f4f   dsb                     2
        taktos.mark.multiple.end:
        taktos.mark.call.begin:
        f000 f801   bl +2                   1 + 2
        e000        b over                  1 + 2
        4770        bx lr                   1 + 2
        taktos.mark.call.end:
        taktos.mark.condition.begin:
        2900        cmp r1, #0              1
        bf0c        ite eq                  1
        6828        ldreq r0, [r5]          2, the condition holds
        6868        ldrne r0, [r5, #4]      1, it does not
        6828        ldr r0, [r5]            2, not directly after a load that was done
        bf18        it ne                   1
        b410        pushne {r4}             1, it does not
        d100        bne +0                  1, not taken
        taktos.mark.condition.end:
        taktos.mark.float.begin:
        bf00        nop                     1
        taktos.mark.float.end:
        ",
        "",
    );
    let record = run(&image);
    assert_eq!(counts(&record, "single"), [(4, 6)]);
    assert_eq!(counts(&record, "multiple"), [(6, 24)]);
    assert_eq!(counts(&record, "call"), [(3, 9)]);
    assert_eq!(counts(&record, "condition"), [(8, 10)]);
    assert_eq!(counts(&record, "float"), [(1, 1)]);
    assert_eq!(record.exit_status, 0);
}

#[test]
fn exceptions_cost_entry_and_return_or_a_chain() {
    let image = program(
        "
        f64e 5404   movw r4, #0xed04
        f2ce 0400   movt r4, #0xe000
        f04f 5580   mov r5, #0x10000000
        2600        movs r6, #0
        taktos.mark.call.begin:
        df00        svc 0                   1, entry 12; handler 1 + 1 + 1; return 12
        taktos.mark.call.end:
        2601        movs r6, #1
        taktos.mark.chain.begin:
        df00        svc 0                   1, entry 12; handler 1 + 1 + 2 + 1; chain 6; 1; return 12
        taktos.mark.chain.end:
        taktos.mark.pend.begin:
        6025        str r5, [r4]            2
        f3bf 8f6f   isb                     2; then PendSV: 12 + 1 + 12
        taktos.mark.pend.end:
        ",
        "
        svcall: function
        2e00        cmp r6, #0              1
        d000        beq return              1; + 2 when taken
        6025        str r5, [r4]            2: pend PendSV
        4770        bx lr                   1
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        bf00        nop
        pendsv: function
        4770        bx lr                   1
        ",
    );
    let record = run(&image);
    assert_eq!(counts(&record, "call"), [(4, 1 + 12 + 1 + 1 + 2 + 1 + 12)]);
    assert_eq!(
        counts(&record, "chain"),
        [(6, 1 + 12 + 1 + 1 + 2 + 1 + 6 + 1 + 12)]
    );
    assert_eq!(counts(&record, "pend"), [(3, 2 + 2 + 12 + 1 + 12)]);
    let exceptions = record.exceptions;
    assert_eq!(
        (exceptions.entries, exceptions.returns, exceptions.chains),
        (3, 3, 1)
    );
}

/// Interrupts at many places of a program that has device accesses and faults in the
/// middle of blocks, conditions of all kinds, nested and chained exceptions.
#[test]
fn one_call_a_block_counts_like_one_call_an_instruction() {
    let mut image = Image::of(BOARD, include_str!("images/cortex_m4.lst"));
    for period in [733, 37, 11, 5] {
        image.set(BOARD, "period", period);
        let record = run(&image);
        assert_eq!(record.samples("body").len(), 20_000);
        assert_eq!(record.exceptions.entries, record.exceptions.returns);
        assert!(record.exceptions.chains > 300);
        // PendSV stores to the watched variable each time it runs.
        assert!(record.switches.len() > 300);
        assert!(record.switches.iter().all(|s| s.thread == 0x2000_2000));
    }
}

#[test]
fn two_runs_are_equal() {
    let image = Image::of(BOARD, include_str!("images/cortex_m4.lst"));
    assert_eq!(run(&image), run(&image));
}

#[test]
fn an_endless_image_ends_at_the_limit() {
    let image = program("e7fe b .\n", "");
    let options = Options {
        instructions: 1_000_000,
        ..Options::default()
    };
    let Err(Error::Limit { instructions, .. }) = image.run(BOARD, &options) else {
        panic!("the limit must end it");
    };
    assert!((1_000_000..1_001_000).contains(&instructions));
}

#[test]
fn an_image_that_waits_for_ever_is_ended() {
    let image = program("bf30 wfi\n e7fd b .-2\n", "");
    let options = Options {
        real_time: Duration::from_secs(1),
        ..Options::default()
    };
    assert!(matches!(
        image.run(BOARD, &options),
        Err(Error::Hung { .. })
    ));
}

#[test]
fn an_executed_instruction_that_is_not_in_the_table_is_an_error() {
    // The word holds two harmless instructions, but it is marked as data.
    let image = program("bf00 nop\n .word bf00bf00\n bf00 nop\n", "");
    let error = image.run(BOARD, &Options::default()).unwrap_err();
    assert!(
        matches!(error, Error::UnknownInstruction { address: 0x42 }),
        "{error}"
    );
}

#[test]
fn an_undefined_encoding_in_a_function_is_named() {
    let image = program("b800 undefined\n", "");
    let error = image
        .run(BOARD, &Options::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("b800 at 0x00000040 in reset"), "{error}");
}

#[test]
fn a_handler_that_the_table_does_not_know_is_an_error() {
    // A second vector table at 0x180; its SVC handler is nowhere in the first.
    let image = program(
        "
        f64e 5408   movw r4, #0xed08
        f2ce 0400   movt r4, #0xe000
        f44f 75c0   mov r5, #0x180
        6025        str r5, [r4]
        df00        svc 0
        ",
        &format!(
            "{}{}",
            "bf00 nop\n".repeat(64),
            ".word 000000c1\n".repeat(16)
        ),
    );
    let error = image.run(BOARD, &Options::default()).unwrap_err();
    assert!(
        matches!(error, Error::UnexplainedTransfer { to: 0xc0, .. }),
        "{error}"
    );
}

/// Returns options that end a run at this virtual time, or with this number of records.
fn until(time: Duration, events: u64) -> Options {
    Options {
        until: Some(Until {
            time,
            events,
            reached: Arc::new(AtomicU64::new(0)),
        }),
        ..Options::default()
    }
}

/// Passes a mark for ever.
fn endless() -> Image {
    program(
        "
        taktos.point.tick:
        3001        adds r0, #1
        e7fd        b tick
        ",
        "",
    )
}

#[test]
fn an_endless_image_is_ended_by_virtual_time_and_keeps_its_record() {
    let options = until(Duration::from_micros(50), u64::MAX);
    let record = endless().run(BOARD, &options).expect("a record");
    assert_eq!((record.ended, record.exit_status), (Ending::Time, 0));
    assert_eq!(record.end(), 50_000);
    // A mark every two instructions, each of a nanosecond.
    assert!(
        (24_990..=25_000).contains(&record.marks.len()),
        "{}",
        record.marks.len()
    );
    let steps = record
        .marks
        .windows(2)
        .map(|pair| pair[1].total.at - pair[0].total.at);
    assert!(steps.into_iter().all(|step| step == 2));
}

#[test]
fn an_image_that_sleeps_for_ever_is_ended_by_virtual_time() {
    let image = program(
        "
        bf30        wfi
        e7fd        b wfi
        ",
        "",
    );
    let record = image
        .run(BOARD, &until(Duration::from_secs(5), u64::MAX))
        .expect("a record");
    assert_eq!((record.ended, record.end()), (Ending::Time, 5_000_000_000));
    assert!(record.total().instructions < 1_000);
}

#[test]
fn a_record_that_is_full_is_kept() {
    let options = until(Duration::from_secs(3600), 100);
    let record = endless().run(BOARD, &options).expect("a record");
    assert_eq!((record.ended, record.marks.len()), (Ending::Full, 100));
    assert_eq!(record.end(), record.marks[99].total.at);
}

#[test]
fn real_time_that_is_over_keeps_the_record_too() {
    // Without marks: they are kept in memory.
    let image = program(
        "
        3001        adds r0, #1
        e7fd        b adds
        ",
        "",
    );
    let options = Options {
        real_time: Duration::from_secs(1),
        ..until(Duration::from_secs(360_000), u64::MAX)
    };
    let record = image.run(BOARD, &options).expect("a record");
    assert_eq!(record.ended, Ending::RealTime);
    assert!(record.end() > 0 && record.end() == record.total().instructions);
}
