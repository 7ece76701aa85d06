//! Owns: the table of interrupts of an STM32L4 or STM32F4.

use crate::system::Board;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(SystemTimer, Upcall<Board>);

/// An entry of the interrupt table.
type Handler = unsafe extern "C" fn();

unsafe extern "C" {
    fn DefaultHandler();
    /// A program's own; [`DefaultHandler`] where it has none (see `device.x`).
    fn taktos_spare_interrupt();
    /// The same, above the kernel's level.
    fn taktos_urgent_interrupt();
}

taktos_arch_cortex_m::above!(urgent, taktos_urgent_interrupt);

/// The interrupt of the basic timer 7, which the board leaves to the program.
pub(crate) const URGENT: u16 = 55;
/// That of a cryptographic unit that these chips lack (RM0351, table 58; RM0090, table 62), for programs that pend it themselves.
pub(crate) const SPARE: u16 = 79;

/// The interrupts, as the start-up code places them behind the exceptions.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
pub static __INTERRUPTS: [Handler; 82] = {
    let mut table: [Handler; 82] = [DefaultHandler; 82];
    table[URGENT as usize] = urgent;
    table[SPARE as usize] = taktos_spare_interrupt;
    table
};
