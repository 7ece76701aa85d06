//! Owns: the memory protection unit of Armv7-M: a guard below the running thread's stack, one below
//! the handlers', and the place that null leads to.

use super::OF_REPORTS;
use core::mem::ManuallyDrop;
use cortex_m::peripheral::{MPU, SCB};

include!(concat!(env!("OUT_DIR"), "/guard.rs"));

/// The bytes of a control block, and the offset of the guard from its beginning: the switch
/// computes the guard's address instead of loading it.
const BLOCK: usize = 72;
const GUARD_OFFSET: usize = if cfg!(feature = "small") { 160 } else { 128 };

/// The processor leaves space for floating-point state (72 bytes) and writes its frame (32 bytes)
/// below, before the state, if at all. A stack that is used up is noticed then. Either the frame is
/// in the guard, or it is in unused bytes before it, and the state is in the guard.
const _: () = assert!(GUARD_OFFSET - BLOCK + GUARD_SIZE >= 72 + 32);

/// The number of bytes before a control block that puts the guard after it at a multiple of its
/// size, and that has room for what the kernel keeps there.
const UNUSED: usize = if cfg!(feature = "small") {
    2 * GUARD_SIZE
} else {
    GUARD_SIZE - GUARD_OFFSET % GUARD_SIZE
};

/// These bytes, the first of which are the kernel's.
#[repr(C)]
pub union Front<T> {
    kept: ManuallyDrop<T>,
    unused: [u8; UNUSED],
}

/// There is nothing behind the stack.
pub type Back<T> = crate::guard::Nothing<T>;

/// The bytes between a control block and its stack, of which no code may access those from
/// `GUARD_OFFSET` on.
#[repr(C, align(8))]
pub struct Guard([u8; TO_STACK]);

/// The region of the running thread's guard: the highest number wins where regions overlap.
const REGION: usize = 7;
const NULL_REGION: usize = 5;

/// The bit of the region base address register that says that it names the region itself.
const NAMES_REGION: usize = 1 << 4;

/// Offset that the switch adds to the address of a thread for the region base address register.
pub const GUARD: usize = GUARD_OFFSET + NAMES_REGION + REGION;

/// From `SysTick`'s control register: the region base address register.
pub const GUARD_REGION: usize = 0xD9C - 0x010;

/// Stack pointers have no limits here.
pub const BELOW_LIMIT: u32 = 0;

/// The status of a fault by which a switch reports a stack that was overrun: as if a frame could
/// not be read.
#[cfg(canary)]
pub const OVERRUN: u32 = 1 << 3;

impl Guard {
    /// Unused memory, but for the word below the stack.
    pub const NEW: Self = {
        let mut bytes = [0; TO_STACK];
        if cfg!(canary) {
            let (_, words) = bytes.split_at_mut(CANARY - BLOCK);
            let (word, _) = words.split_at_mut(size_of_val(&INTACT));
            word.copy_from_slice(&INTACT.to_le_bytes());
        }
        Self(bytes)
    };
    /// All zeros, until [`mark`].
    #[cfg(canary)]
    pub const ZEROED: Self = Self([0; TO_STACK]);
}

/// Writes the word below the stack into the memory at `guard`.
#[cfg(canary)]
pub fn mark(guard: usize) {
    let word = core::ptr::with_exposed_provenance_mut::<u32>(guard + CANARY - BLOCK);
    // SAFETY: the memory of a guard, of a thread that does not exist yet.
    unsafe { word.write(INTACT) };
}

/// The offset of the word below a thread's stack from its control block: where no unit may guard
/// stacks, each switch looks at the word of the thread that gives way. It lies behind the guard.
pub const CANARY: usize = GUARD_OFFSET + GUARD_SIZE;
/// The bytes between a control block and its stack. The stack begins at a multiple of eight.
const TO_STACK: usize = GUARD_OFFSET - BLOCK + GUARD_SIZE + if cfg!(canary) { 8 } else { 0 };
/// The value of the word while the stack has not been overrun.
pub const INTACT: u32 = 0xA5A5_A5A5;

/// The switch loads the word at an offset of 12 bits.
const _: () = assert!(
    !cfg!(canary) || CANARY < 4096,
    "on a Cortex-M3 the guard (TAKTOS_GUARD) is of 2048 bytes at most"
);

unsafe extern "C" {
    /// The lowest address of the handlers' stack.
    static _stack_end: u8;
}

/// Switches the unit on: everything as without it, but for the three regions. That of the thread is
/// on the handlers' guard until the first thread runs: anywhere else a large one would cover code
/// or data.
pub fn enable() {
    const ENABLE_WITH_DEFAULT_MAP: u32 = 0b101;
    const MEMORY_FAULTS: u32 = 1 << 16;
    // SAFETY: called once, before the first thread runs; the unit belongs to this port.
    unsafe {
        let mpu = &*MPU::PTR;
        // Null is where the vectors lie, which the processor fetches past the unit.
        for region in NULL_REGION..=REGION {
            let (base, size) = match region {
                NULL_REGION => (0, NULL_SIZE),
                _ => (of_handlers(), GUARD_SIZE),
            };
            mpu.rbar.write((base | NAMES_REGION | region) as u32);
            mpu.rasr.write(forbidden(size));
        }
        mpu.ctrl.write(ENABLE_WITH_DEFAULT_MAP);
        (*SCB::PTR).shcsr.write(MEMORY_FAULTS);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Returns whether stacks have guards: some processors lack the unit.
pub fn has_guards() -> bool {
    const REGIONS: u32 = 0xFF << 8;
    // SAFETY: the unit's type register is only read; without the unit it is zero.
    unsafe { (*MPU::PTR)._type.read() & REGIONS != 0 }
}

/// Forbids all code to access the 32 bytes at `place`, with a region that the port leaves free.
pub fn forbid(place: usize) {
    const FREE_REGION: u32 = 0;
    // SAFETY: the unit belongs to this port; the number is put back, by which the switch's region
    // is found.
    unsafe {
        let mpu = &*MPU::PTR;
        mpu.rnr.write(FREE_REGION);
        mpu.rbar.write(place as u32 & !31);
        mpu.rasr.write(forbidden(NULL_SIZE));
        mpu.rnr.write(REGION as u32);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// How much of what null leads to is forbidden: the smallest region that the unit knows.
const NULL_SIZE: usize = 32;

/// Returns the attributes of a region of `size` bytes that no code may access.
const fn forbidden(size: usize) -> u32 {
    const REGION_ENABLE: u32 = 1;
    const NO_ACCESS_NO_EXECUTE: u32 = 1 << 28;
    NO_ACCESS_NO_EXECUTE | (size.trailing_zeros() - 1) << 1 | REGION_ENABLE
}

/// Returns the address of the guard of the handlers: behind what reports have, less than its size.
fn of_handlers() -> usize {
    ((&raw const _stack_end).addr() + OF_REPORTS).next_multiple_of(GUARD_SIZE)
}

/// Returns whether the address is in the guard of the running thread, or in that of handlers.
pub fn is_guard(address: usize) -> bool {
    is_of_thread(address) || address.wrapping_sub(of_handlers()) < GUARD_SIZE
}

/// Returns whether the address is in the guard of the running thread.
pub fn is_of_thread(address: usize) -> bool {
    address.wrapping_sub(of_thread()) < GUARD_SIZE
}

/// The lowest address of the running thread's stack.
pub fn lowest_of_thread() -> usize {
    of_thread() + BLOCK + TO_STACK - GUARD_OFFSET
}

/// Where the running thread's guard begins. The unit may be missing.
#[cfg(canary)]
fn of_thread() -> usize {
    crate::processors::own().current.get().addr() + GUARD_OFFSET
}

/// Where the running thread's guard begins.
#[cfg(not(canary))]
fn of_thread() -> usize {
    // SAFETY: reads the register that the switch wrote last: it names the thread's region.
    unsafe { (*MPU::PTR).rbar.read() as usize & !(GUARD_SIZE - 1) }
}

/// [`pended_switch!`](crate::pended_switch) with the line that moves the guard.
#[doc(hidden)]
#[macro_export]
macro_rules! guarded_switch {
    () => {
        // For tools: functions with larger frames may pass the guard.
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.guard\"",
            ".set \"taktos.layout.guard\", {size}",
            size = const $crate::reexports::operands::GUARD_SIZE,
        );
        $crate::looked_at_switch!(
            ["str r1, [r12, #{guard_region}]"],
            [guard_region = const $crate::reexports::operands::GUARD_REGION,]
        );
    };
}

#[cfg(not(canary))]
#[doc(hidden)]
#[macro_export]
macro_rules! looked_at_switch {
    ($guard:tt, $operands:tt) => {
        $crate::pended_switch!(@ [], $guard, $operands);
    };
}

/// [`pended_switch!`](crate::pended_switch) with the lines that look at the word below the stack of
/// the thread that gives way.
#[cfg(canary)]
#[doc(hidden)]
#[macro_export]
macro_rules! looked_at_switch {
    ($guard:tt, [$($operands:tt)*]) => {
        $crate::pended_switch!(
            @ ["ldr r12, [r1, #{canary}]", "cmp r12, #{intact}", "bne {overflow}"],
            $guard,
            [
                canary = const $crate::reexports::operands::CANARY,
                intact = const $crate::reexports::operands::INTACT,
                overflow = sym $crate::reexports::overflow_at_switch,
                $($operands)*
            ]
        );
    };
}
