//! The handling of each class of exceptions that EL2 takes from a guest, and where the guest
//! resumes (Arm DDI 0487, ESR_ELx).

use proptest::prelude::*;
use taktos_hypervisor::hardware::Context;
use taktos_tests::machine_el2::{Act, Injected, Registers, Script, write};

/// States of guests (SPSR_EL2): a kernel; a user program of AArch64, of A32, of T32.
const KERNEL: u64 = 0x3C5;
const USER: u64 = 0x0;
const A32: u64 = 0x10;
const T32: u64 = 0x30;
/// ESR.IL.
const LONG: u64 = 1 << 25;
/// Syndrome that EL1 gets for an undefined instruction.
const UNDEFINED: u64 = LONG;
const MEMORY: u64 = taktos_abi::vm::layout::MEMORY;
/// Stale contents of the processor's registers, from other guests.
const STALE: u64 = 0x0123_4567_8000;

/// Effects of an exception of a guest in `state`.
struct Led {
    registers: &'static Registers,
    console: String,
    /// Where it was.
    pc: u64,
}

impl Led {
    /// The exception that its EL1 was given.
    fn given(&self) -> Option<Injected> {
        self.registers.take_exception()
    }
}

/// Runs `before`, then an exception with this syndrome.
fn lead(before: &[Act], state: u64, syndrome: u64, physical: u64) -> Led {
    let mut acts = before.to_vec();
    let far = if physical == 0 { STALE } else { physical };
    acts.extend([
        Act::State(state),
        Act::Exception(syndrome, far, physical, 7),
    ]);
    let script = Script::new(vec![acts], 100).run(100_000);
    let registers = script.rig.registers(0);
    assert_eq!(script.rig.hypervisor().starts(0), 1);
    Led {
        registers,
        console: script.rig.console(),
        pc: MEMORY + 4 * before.len() as u64,
    }
}

/// Classes that EL2 deals with itself, whatever their instruction says.
const DEALT_WITH: [u64; 6] = [0x01, 0x16, 0x17, 0x18, 0x20, 0x24];

#[test]
fn every_other_class_is_undefined_to_el1_in_every_state() {
    for class in (0..0x40).filter(|class| !DEALT_WITH.contains(class)) {
        for state in [KERNEL, USER, A32, T32, A32 | 0xF000_0000, T32 | 0x200] {
            for long in [0, LONG] {
                // The condition is there, and always holds.
                let led = lead(&[], state, class << 26 | long | 0xE << 20 | 1 << 24, 0);
                let given = Injected {
                    syndrome: UNDEFINED,
                    address: 0,
                    pc: led.pc,
                    state,
                };
                assert_eq!(led.given(), Some(given), "class {class:#x} in {state:#x}");
                assert_eq!(led.console, "");
            }
        }
    }
}

#[test]
fn a_user_program_that_fetches_from_nowhere_does_not_end_its_guest() {
    for state in [USER, A32, T32] {
        let led = lead(&[], state, 0x20 << 26 | LONG | 7, 0x3000_0000);
        // An instruction abort from a lower level, external.
        let given = Injected {
            syndrome: 0x20 << 26 | LONG | 0x10,
            address: 0x3000_0000,
            pc: led.pc,
            state,
        };
        assert_eq!(led.given(), Some(given));
        assert_eq!(led.console, "");
    }
    let led = lead(&[], KERNEL, 0x20 << 26 | LONG | 7, 0x3000_0000);
    assert_eq!(led.given(), None);
    assert!(led.console.contains("stopped: fault"), "{}", led.console);
}

#[test]
fn data_that_is_not_there_is_an_external_abort_of_whoever_asked() {
    for (state, class) in [(KERNEL, 0x25), (USER, 0x24), (A32, 0x24), (T32, 0x24)] {
        // Described and not; reads, writes, maintenance of caches.
        for kind in [0, 1 << 6, 1 << 8 | 1 << 6, 1 << 24, 1 << 24 | 1 << 6] {
            let led = lead(&[], state, 0x24 << 26 | LONG | kind | 7, 0x3000_0000);
            let syndrome = class << 26 | LONG | kind & (1 << 8 | 1 << 6) | 0x10;
            let given = Injected {
                syndrome,
                address: 0x3000_0000,
                pc: led.pc,
                state,
            };
            assert_eq!(led.given(), Some(given), "{state:#x}");
        }
    }
}

#[test]
fn an_access_of_which_no_address_is_known_reaches_no_device() {
    // An alignment fault, a fault of a permission, one of a walk of stage 1, an external abort.
    for status in [0x21, 0xF, 1 << 7 | 7, 0x10] {
        // The address is that of the exit before.
        let controller = taktos_abi::vm::layout::DISTRIBUTOR;
        let described = 1 << 24 | 2 << 22 | 5 << 16;
        let led = lead(
            &[],
            KERNEL,
            0x24 << 26 | LONG | described | status,
            controller,
        );
        let given = led.given().expect("an abort");
        assert_eq!(given.syndrome, 0x25 << 26 | LONG | 0x10, "{status:#x}");
    }
}

/// MRC p14, 0, r5, c1, c0, 0 (DBGDRAR); LDC p14, c5; MRRC p14, 0; and of traces: MRC p14, 1.
const CHANNEL: [u64; 3] = [
    0x05 << 26 | LONG | 1 << 24 | 0xE << 20 | 1 << 10 | 5 << 5 | 1,
    0x06 << 26 | LONG | 1 << 24 | 0xE << 20 | 5 << 5,
    0x0C << 26 | LONG | 1 << 24 | 0xE << 20 | 5 << 5 | 1,
];
const TRACE: [u64; 2] = [
    0x05 << 26 | LONG | 1 << 24 | 0xE << 20 | 1 << 14 | 5 << 5 | 1,
    0x0C << 26 | LONG | 1 << 24 | 0xE << 20 | 1 << 16 | 5 << 5 | 1,
];
/// MDSCR_EL1, and its bit TDCC.
const MDSCR: [u64; 5] = [2, 0, 0, 2, 2];
const TDCC: u64 = 1 << 12;
/// MRS x5, MDCCSR_EL0.
const STATUS: u64 = 0x18 << 26 | LONG | 2 << 20 | 3 << 14 | 5 << 5 | 1 << 1 | 1;

#[test]
fn a_kernel_keeps_its_programs_from_the_debug_channel() {
    let given = |before: &[Act], state, syndrome| {
        let led = lead(before, state, syndrome, 0);
        (
            led.given().map(|given| (given.syndrome, given.address)),
            led.registers.x(5),
        )
    };
    let denied = [write(MDSCR, TDCC)];
    let allowed = [write(MDSCR, TDCC), write(MDSCR, !TDCC)];
    for syndrome in CHANNEL {
        // As the processor reports it: the class and the instruction stay.
        assert_eq!(given(&denied, A32, syndrome).0, Some((syndrome, 0)));
        assert_eq!(given(&allowed, A32, syndrome).0, Some((UNDEFINED, 0)));
    }
    for syndrome in TRACE {
        assert_eq!(given(&denied, A32, syndrome).0, Some((UNDEFINED, 0)));
    }
    assert_eq!(given(&denied, USER, STATUS), (Some((STATUS, 0)), 7));
    assert_eq!(given(&allowed, USER, STATUS), (None, 0));
    // The kernel itself is not kept from it.
    assert_eq!(given(&denied, KERNEL, STATUS), (None, 0));
}

/// PSTATE.IT, in SPSR's two places.
fn with_it(it: u64) -> u64 {
    (it & 0xFC) << 8 | (it & 3) << 25
}

/// ITAdvance, as the manual has it: in bits.
fn it_behind(it: u64) -> u64 {
    let bits: Vec<bool> = (0..8).map(|bit| it >> bit & 1 == 1).collect();
    if !bits[0] && !bits[1] && !bits[2] {
        return 0;
    }
    // The lower five move up; the condition's upper three stay.
    let moved = [
        false, bits[0], bits[1], bits[2], bits[3], bits[5], bits[6], bits[7],
    ];
    (0..8).map(|bit| u64::from(moved[bit]) << bit).sum()
}

/// Returns instructions that are trapped and carried out: a WFE, and a read at the interrupt
/// controller's address; with `long` instructions.
fn carried_out() -> [(u64, u64); 2] {
    [
        (0x01 << 26 | 1 << 24 | 0xE << 20 | 1, 0),
        (
            0x24 << 26 | 1 << 24 | 2 << 22 | 5 << 16 | 7,
            taktos_abi::vm::layout::DISTRIBUTOR,
        ),
    ]
}

#[test]
fn a_guest_goes_on_behind_the_bytes_of_its_instruction() {
    for (syndrome, physical) in carried_out() {
        for (state, long, bytes) in [
            (T32, 0, 2),
            (T32, LONG, 4),
            (A32, LONG, 4),
            (USER, LONG, 4),
            (KERNEL, LONG, 4),
        ] {
            let led = lead(&[], state, syndrome | long, physical);
            assert_eq!(led.given(), None);
            assert_eq!(
                led.registers.pc(),
                led.pc + bytes,
                "{syndrome:#x} in {state:#x}"
            );
            assert_eq!(led.registers.state(), state);
        }
    }
}

#[test]
fn the_it_block_goes_on_by_one_instruction() {
    for it in 0..=0xFF {
        for (syndrome, physical) in carried_out() {
            let state = T32 | 0x8000_0000 | with_it(it);
            let led = lead(&[], state, syndrome, physical);
            assert_eq!(led.registers.pc(), led.pc + 2);
            assert_eq!(
                led.registers.state(),
                T32 | 0x8000_0000 | with_it(it_behind(it)),
                "IT {it:#x}"
            );
        }
    }
    // The bits in AArch64's state that look like IT are something else: they stay.
    let led = lead(&[], KERNEL | 0xC00, 0x01 << 26 | LONG | 1, 0);
    assert_eq!(led.registers.state(), KERNEL | 0xC00);
}

/// Whether `condition` holds with the flags N, Z, C, V (Arm DDI 0487, C1.2.4), one by one.
fn holds(condition: u64, flags: u64) -> bool {
    let [n, z, c, v] = [3, 2, 1, 0].map(|bit| flags >> bit & 1 == 1);
    match condition {
        0 => z,
        1 => !z,
        2 => c,
        3 => !c,
        4 => n,
        5 => !n,
        6 => v,
        7 => !v,
        8 => c && !z,
        9 => !c || z,
        10 => n == v,
        11 => n != v,
        12 => !z && n == v,
        13 => z || n != v,
        _ => true,
    }
}

/// A processor may trap an instruction with a condition that fails: it does nothing.
#[test]
fn an_instruction_whose_condition_fails_is_passed_over() {
    const COPROCESSOR: u64 = 0x05 << 26 | LONG | 1 << 24;
    const WAIT: u64 = 0x01 << 26;
    for condition in 0..16 {
        for flags in 0..16 {
            let passes = holds(condition, flags);
            // The syndrome gives the condition.
            let state = A32 | flags << 28;
            let led = lead(&[], state, COPROCESSOR | condition << 20, 0);
            assert_eq!(led.given().is_some(), passes, "{condition} with {flags:#x}");
            assert_eq!(led.registers.pc(), led.pc + if passes { 0 } else { 4 });
            // The syndrome does not give it: of T32 it is IT's. A WFI that is carried out waits for
            // ever.
            let it = condition << 4 | 0b1000;
            let state = T32 | flags << 28 | with_it(it);
            let acts = vec![
                Act::State(state),
                Act::Exception(WAIT, 0, 0, 0),
                Act::Run(1),
            ];
            let script = Script::new(vec![acts], 100).run(100_000);
            let goes_on = script.seen(0).len() == 3;
            assert_eq!(goes_on, !passes, "IT {condition} with {flags:#x}");
            let registers = script.rig.registers(0);
            assert_eq!(
                registers.state(),
                T32 | flags << 28 | with_it(it_behind(it))
            );
        }
    }
}

proptest! {
    /// Whatever an AArch32 program does, its guest continues: after the instruction, or at its own
    /// EL1.
    #[test]
    fn no_user_program_ends_its_guest(class in 0..0x40u64, bits in 0..1u64 << 26, state: u32, thumb: bool, physical in prop_oneof![Just(0), any::<u32>().prop_map(u64::from)]) {
        // HVC and SMC are the kernel's.
        prop_assume!(class != 0x16 && class != 0x17);
        let state = u64::from(state) & !0x3F | if thumb { T32 } else { A32 };
        let led = lead(&[], state, class << 26 | bits, physical);
        prop_assert_eq!(&led.console, "");
        let pc = led.registers.pc();
        match led.given() {
            Some(given) => prop_assert_eq!((given.pc, given.state), (led.pc, state)),
            None => prop_assert_eq!(pc, led.pc + if bits & LONG == 0 { 2 } else { 4 }),
        }
    }
}
