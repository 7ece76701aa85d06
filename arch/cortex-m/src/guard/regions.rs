//! Owns: the memory protection unit of Armv7-M: a guard below the running thread's stack, one below the handlers', and
//! the place that null leads to.

use cortex_m::peripheral::{MPU, SCB};

/// The bytes below a stack that nobody may touch, and below those some that nobody uses: when an interrupt
/// comes to a thread with floating-point state, the processor leaves room for that and writes its frame below,
/// which may be beyond the guard; the guard is touched when the state follows.
#[repr(C, align(32))]
pub struct Guard([u8; UNUSED + GUARD_SIZE]);

/// The size of a guard, and the alignment that the unit wants: the smallest region that it knows.
const GUARD_SIZE: usize = 32;

/// With the gap before it, no less than what the processor leaves room for (72 bytes) and the guard does not
/// cover, and the frame (32 bytes).
const UNUSED: usize = 64;

/// How far behind the beginning of the control block the guard lies: the switch computes
/// the guard's address instead of loading it. (72 bytes, rounded up to the alignment, and the unused ones.)
const GUARD_OFFSET: usize = 96 + UNUSED;

const _: () = assert!(GUARD_OFFSET - 72 + GUARD_SIZE >= 72 + 32);

/// The region of the running thread's guard: the highest number wins where regions overlap.
const REGION: usize = 7;
const HANDLERS_REGION: usize = 6;
const NULL_REGION: usize = 5;

/// The bit of the region base address register that says that it names the region itself.
const NAMES_REGION: usize = 1 << 4;

/// What the switch adds to the address of a thread for the region base address register.
pub const GUARD: usize = GUARD_OFFSET + NAMES_REGION + REGION;

/// From `SysTick`'s control register: the region base address register.
pub const GUARD_REGION: usize = 0xD9C - 0x010;

/// Stack pointers have no limits here.
pub const BELOW_LIMIT: u32 = 0;

impl Guard {
    /// Unused memory.
    pub const NEW: Self = Self([0; UNUSED + GUARD_SIZE]);
}

unsafe extern "C" {
    /// The lowest address of the handlers' stack.
    static _stack_end: u8;
}

/// Switches the unit on: everything as without it, but for the three regions.
pub fn enable() {
    const ENABLE_WITH_DEFAULT_MAP: u32 = 0b101;
    const MEMORY_FAULTS: u32 = 1 << 16;
    // SAFETY: called once, before the first thread runs; the unit belongs to this port.
    unsafe {
        let mpu = &*MPU::PTR;
        // Null is where the vectors lie, which the processor fetches past the unit.
        for region in NULL_REGION..=REGION {
            let base = match region {
                HANDLERS_REGION => (&raw const _stack_end).addr().next_multiple_of(GUARD_SIZE),
                _ => 0,
            };
            mpu.rbar.write((base | NAMES_REGION | region) as u32);
            mpu.rasr.write(FORBIDDEN);
        }
        mpu.ctrl.write(ENABLE_WITH_DEFAULT_MAP);
        (*SCB::PTR).shcsr.write(MEMORY_FAULTS);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Forbids the 32 bytes at `place` to everybody, with a region that the port leaves free.
pub fn forbid(place: usize) {
    const FREE_REGION: u32 = 0;
    // SAFETY: the unit belongs to this port; the number is put back, by which the switch's region is found.
    unsafe {
        let mpu = &*MPU::PTR;
        mpu.rnr.write(FREE_REGION);
        mpu.rbar.write(place as u32 & !31);
        mpu.rasr.write(FORBIDDEN);
        mpu.rnr.write(REGION as u32);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// The attributes of a region of 32 bytes that nobody may touch.
const FORBIDDEN: u32 = {
    const REGION_ENABLE: u32 = 1;
    const SIZE_32_BYTES: u32 = 4 << 1;
    const NO_ACCESS_NO_EXECUTE: u32 = 1 << 28;
    NO_ACCESS_NO_EXECUTE | SIZE_32_BYTES | REGION_ENABLE
};

/// Whether the address lies in the guard of the running thread, or in that of handlers.
pub fn is_guard(address: usize) -> bool {
    // That of handlers begins less than its size behind the end of their stack, where there is nothing else.
    is_of_thread(address) || address.wrapping_sub((&raw const _stack_end).addr()) < 2 * GUARD_SIZE
}

/// Whether the address lies in the guard of the running thread.
pub fn is_of_thread(address: usize) -> bool {
    address.wrapping_sub(of_thread()) < GUARD_SIZE
}

/// The lowest address of the running thread's stack.
pub fn lowest_of_thread() -> usize {
    of_thread() + GUARD_SIZE
}

/// Where the running thread's guard begins.
fn of_thread() -> usize {
    // SAFETY: reads the register that the switch wrote last: it names the thread's region.
    unsafe { (*MPU::PTR).rbar.read() as usize & !(GUARD_SIZE - 1) }
}

/// [`pended_switch!`](crate::pended_switch) with the line that moves the guard.
#[doc(hidden)]
#[macro_export]
macro_rules! guarded_switch {
    ($slice:tt, [$($operands:tt)*]) => {
        $crate::pended_switch!(
            @ [],
            ["str r1, [r12, #{guard_region}]"],
            $slice,
            [guard_region = const $crate::reexports::operands::GUARD_REGION, $($operands)*]
        );
    };
}
