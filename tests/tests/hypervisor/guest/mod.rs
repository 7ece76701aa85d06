//! The hypervisor's responses to a guest, on the host's machine: trapped instructions, system
//! registers, timers and calls, each as the architecture says.

mod calls;
mod registers;
mod timers;
mod traps;
mod undescribed;

use taktos_abi::vm::layout;
use taktos_tests::machine_el2::Act;

/// Returns the writes of a kernel before it takes interrupts: group 1 on; its redistributor awake;
/// all its interrupts in group 1; both timers' enabled.
fn interrupts_on() -> Vec<Act> {
    let own = layout::REDISTRIBUTOR;
    let timers = 1 << layout::TIMER_INTERRUPT | 1 << layout::PHYSICAL_TIMER_INTERRUPT;
    [
        (layout::DISTRIBUTOR, 2),
        (own + 0x14, 0),
        (own + 0x1_0080, 0xFFFF_FFFF),
        (own + 0x1_0100, timers),
    ]
    .map(|(at, value)| Act::Access(at, 4, Some(value)))
    .to_vec()
}

/// Returns a call (HVC #0) with these arguments after its number.
fn call(number: u32, arguments: [u64; 3]) -> Act {
    let [one, two, three] = arguments;
    Act::Call([number.into(), one, two, three])
}
