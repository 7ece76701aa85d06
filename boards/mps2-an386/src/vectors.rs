//! Owns: the table of interrupts.

use crate::clock;
use crate::system::Board;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(Upcall<Board>);

/// An entry of the interrupt table.
type Handler = unsafe extern "C" fn();

unsafe extern "C" {
    fn DefaultHandler();
    /// A program's own; [`DefaultHandler`] where it has none (see `device.x`).
    fn taktos_spare_interrupt();
    /// The same, above the kernel's level.
    fn taktos_urgent_interrupt();
}

extern "C" fn dual_timer() {
    clock::interrupt();
}

taktos_arch_cortex_m::above!(urgent, taktos_urgent_interrupt);

/// The interrupt of the first simple timer (CMSDK TRM, section 4.2, at 0x4000_0000), which the board leaves to the program.
pub(crate) const URGENT: u16 = 8;
/// An interrupt of the board that no device uses, for programs that pend it themselves.
pub(crate) const SPARE: u16 = 13;

/// The interrupts, as the start-up code places them behind the exceptions.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
pub static __INTERRUPTS: [Handler; 14] = {
    let mut table: [Handler; 14] = [DefaultHandler; 14];
    table[URGENT as usize] = urgent;
    table[clock::INTERRUPT_NUMBER as usize] = dual_timer;
    table[SPARE as usize] = taktos_spare_interrupt;
    table
};
