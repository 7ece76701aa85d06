//! Owns: the table of interrupts.

use crate::clock;
use crate::system::Board;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(Upcall<Board>);

/// An entry of the interrupt table.
#[derive(Clone, Copy)]
pub union Vector {
    handler: unsafe extern "C" fn(),
    reserved: usize,
}

unsafe extern "C" {
    fn DefaultHandler();
    /// A program's own; [`DefaultHandler`] where it has none (see `device.x`).
    fn taktos_spare_interrupt();
}

extern "C" fn dual_timer() {
    clock::interrupt();
}

/// An interrupt of the board that no device uses, for programs that pend it themselves.
pub const SPARE: u16 = 13;

/// The interrupts, as the start-up code places them behind the exceptions.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
pub static __INTERRUPTS: [Vector; 14] = {
    let mut table = [Vector {
        handler: DefaultHandler,
    }; 14];
    table[clock::INTERRUPT_NUMBER as usize] = Vector {
        handler: dual_timer,
    };
    table[SPARE as usize] = Vector {
        handler: taktos_spare_interrupt,
    };
    table
};

const _: () = assert!(size_of::<Vector>() == size_of::<usize>());
