//! Owns: operations of user programs that come to EL2, and the results that their kernel must see:
//! they continue after the instruction, or at EL1 with an exception of their own (Arm DDI 0487,
//! ESR_ELx).

use super::{Attack, wrong};
use crate::processor::{counter, mask, read, set_virtual_timer, stop_timers, write};
use crate::translation;
use crate::user;
use taktos_abi::vm::layout::CONSOLE;

/// How a program ends.
#[derive(Clone, Copy)]
enum End {
    /// By its call, with this value in its first register.
    Call(u64),
    /// By an exception of this class at its beginning.
    Class(u64),
}

/// Setting that the kernel makes for its program.
#[derive(Clone, Copy)]
enum Kernel {
    Nothing,
    /// The kernel denies the debug communications channel (MDSCR_EL1.TDCC).
    DeniesChannel,
    /// The kernel gives the physical timer (CNTKCTL_EL1.EL0PTEN).
    GivesTimer,
}

use End::{Call, Class};
use Kernel::{DeniesChannel, GivesTimer, Nothing};

struct Program {
    state: u64,
    /// The first register at the beginning.
    x0: u64,
    kernel: Kernel,
    end: End,
    code: [u32; 4],
}

/// SPSR: everything masked, EL0 in AArch64, in A32, in T32.
const WIDE: u64 = 0x3C0;
const A32: u64 = 0x1D0;
const T32: u64 = 0x1F0;
/// Classes (ESR_EL1.EC): undefined; MRC for coprocessor 14; MRS; SVC in either state.
const UNDEFINED: u64 = 0;
const CHANNEL_OF_A32: u64 = 0x05;
const REGISTER: u64 = 0x18;
const CALLS: [u64; 2] = [0x11, 0x15];
const SVC_OF_A32: u32 = 0xEF00_0000;
const SVC: u32 = 0xD400_0001;

impl Program {
    const fn of(state: u64, kernel: Kernel, end: End, code: [u32; 4]) -> Self {
        Self {
            state,
            x0: 0,
            kernel,
            end,
            code,
        }
    }

    /// Returns a program in A32, with its call after its instruction.
    const fn a32(kernel: Kernel, end: End, instruction: u32) -> Self {
        Self::of(A32, kernel, end, [instruction, SVC_OF_A32, 0, 0])
    }

    /// Returns a program in T32, for which the kernel does nothing.
    const fn t32(end: End, code: [u32; 3]) -> Self {
        Self::of(T32, Nothing, end, [code[0], code[1], code[2], 0])
    }

    /// Returns a program of 64 bits that reads MDCCSR_EL0.
    const fn reads_channel(kernel: Kernel, end: End) -> Self {
        Self::of(WIDE, kernel, end, [0xD533_0100, SVC, 0, 0])
    }

    /// Returns the program with `x0` in its first register.
    const fn with(self, x0: u64) -> Self {
        Self { x0, ..self }
    }
}

/// Two instructions of T32, of 16 bits each.
const fn two(first: u16, second: u16) -> u32 {
    first as u32 | (second as u32) << 16
}

/// T32: movs r0, #0; adds r0, #1; adds r0, #16; svc #0; and what is trapped.
const ZERO: u16 = 0x2000;
const ONE: u16 = 0x3001;
const SIXTEEN: u16 = 0x3010;
const CALL: u16 = 0xDF00;
const WFI: u16 = 0xBF30;
const WFE: u16 = 0xBF20;
/// cmp r0, r0; ite eq; ldr r1, [r0].
const COMPARE: u16 = 0x4280;
const EQUAL_ELSE: u16 = 0xBF0C;
const LOAD: u16 = 0x6801;

const PROGRAMS: [Program; 18] = [
    // Debug registers: DBGDRAR, DBGDSCRint, DBGDIDR, DBGDSAR by MRC. (Of MRRC and LDC the emulator
    // traps none.)
    Program::a32(Nothing, Class(UNDEFINED), 0xEE11_0E10),
    Program::a32(Nothing, Class(UNDEFINED), 0xEE10_0E11),
    Program::a32(Nothing, Class(UNDEFINED), 0xEE10_0E10),
    Program::a32(Nothing, Class(UNDEFINED), 0xEE12_0E10),
    Program::a32(DeniesChannel, Class(CHANNEL_OF_A32), 0xEE11_0E10),
    Program::a32(DeniesChannel, Class(CHANNEL_OF_A32), 0xEE12_0E10),
    Program::t32(Class(UNDEFINED), [two(0xEE11, 0x0E10), two(CALL, CALL), 0]),
    // The emulated timer, CNTP_CTL and CNTP_CVAL: given by the kernel, not by EL2.
    Program::a32(GivesTimer, Class(UNDEFINED), 0xEE1E_0F32),
    Program::a32(GivesTimer, Class(UNDEFINED), 0xEC51_0F2E),
    Program::reads_channel(Nothing, Call(0)),
    Program::reads_channel(DeniesChannel, Class(REGISTER)),
    // Waits, in A32 (also one with a condition that fails), in T32.
    Program::of(
        A32,
        Nothing,
        Call(0),
        [0xE320_F003, 0xE320_F002, SVC_OF_A32, 0],
    ),
    Program::a32(Nothing, Call(0), 0x0320_F003),
    Program::t32(
        Call(0x11),
        [two(ZERO, WFI), two(ONE, SIXTEEN), two(CALL, 0)],
    ),
    Program::t32(
        Call(0x11),
        [two(ZERO, WFE), two(ONE, SIXTEEN), two(CALL, 0)],
    ),
    // A device that EL2 emulates: T32's load of 16 bits; in an IT block, of which the other half is
    // not executed; A32's. (For a wait in an IT block, the emulator reports a state that is one
    // instruction further.)
    Program::t32(
        Call(DEVICES + CONSOLE + 16),
        [two(COMPARE, EQUAL_ELSE), two(LOAD, ONE), two(SIXTEEN, CALL)],
    )
    .with(DEVICES + CONSOLE),
    Program::t32(
        Call(0x11),
        [two(LOAD, ZERO), two(ONE, SIXTEEN), two(CALL, 0)],
    )
    .with(DEVICES + CONSOLE),
    Program::a32(Nothing, Call(DEVICES + CONSOLE), 0xE590_1018).with(DEVICES + CONSOLE),
];

/// Where user programs see the second gigabyte, of memory, and the first, of devices, and the
/// entries for that: valid, accessed, for EL0 too.
const MEMORY: u64 = 0x4000_0000;
const DEVICES: u64 = 0xC000_0000;
const MEMORY_ENTRY: u64 = 0x4000_0000 | 0x745;
const DEVICES_ENTRY: u64 = 0x441;
/// MDSCR_EL1.TDCC; CNTKCTL_EL1.EL0PTEN.
const DENIED: u64 = 1 << 12;
const GIVEN: u64 = 1 << 9;
/// SCTLR_EL1: waits and IT blocks of EL0 are not trapped.
const WAITS: u64 = 1 << 16 | 1 << 18;
const NO_BLOCKS: u64 = 1 << 7;
/// 16 us: the end of a wait.
const SOON: u64 = 1_000;

pub fn programs(attack: &mut Attack<'_>) {
    let control = read!("sctlr_el1");
    mask();
    write!("sctlr_el1", (control | WAITS) & !NO_BLOCKS);
    translation::set(2, MEMORY_ENTRY);
    translation::set(3, DEVICES_ENTRY);
    translation::forget();
    while attack.goes_on() {
        let number = attack.chance.below(PROGRAMS.len() as u64) as usize;
        run(number, &PROGRAMS[number]);
    }
    stop_timers();
    write!("sctlr_el1", control);
    translation::calm();
}

fn run(number: usize, program: &Program) {
    let timer = read!("cntkctl_el1");
    let (denied, given) = match program.kernel {
        Nothing => (0, 0),
        DeniesChannel => (DENIED, 0),
        GivesTimer => (0, GIVEN),
    };
    write!("mdscr_el1", denied);
    write!("cntkctl_el1", timer | given);
    set_virtual_timer(counter() + SOON);
    let at = MEMORY + program.code.as_ptr().addr() as u64;
    let came = user::run(at, program.state, program.x0);
    write!("cntkctl_el1", timer);
    // From below, in AArch64 or AArch32.
    let entry = if program.state == WIDE { 8 } else { 12 };
    let class = came.syndrome >> 26;
    let right = came.entry == entry
        && match program.end {
            Call(x0) => CALLS.contains(&class) && came.x0 == x0,
            Class(UNDEFINED) => came.syndrome == 1 << 25 && came.at == at,
            Class(wanted) => class == wanted && came.at == at,
        };
    if !right {
        wrong(format_args!(
            "program={number} entry={} syndrome={:#x} offset={} x0={:#x}",
            came.entry,
            came.syndrome,
            came.at.wrapping_sub(at),
            came.x0
        ));
    }
}
