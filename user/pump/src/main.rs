//! A program of a partition that is loaded: it looks whether its memory is as at first, and then does what its argument says.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![expect(unsafe_code, reason = "it breaks the rules by intention")]

#[cfg(target_os = "none")]
mod program {
    use core::hint::black_box;
    use core::ptr::with_exposed_provenance_mut;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use taktos_user::{Semaphore, exit};

    const RIGHT: Semaphore = Semaphore::at(0);
    static INITIAL: AtomicU32 = AtomicU32::new(0x7A57_05EC);
    static ZERO: AtomicU32 = AtomicU32::new(0);

    /// Where the program begins.
    #[unsafe(no_mangle)]
    #[unsafe(link_section = ".text.begin")]
    extern "C" fn begin(_thread: usize, argument: usize) -> ! {
        // What it changes is to be as at first in each life.
        if INITIAL.fetch_add(1, Relaxed) == 0x7A57_05EC && ZERO.fetch_add(1, Relaxed) == 0 {
            let _ = RIGHT.give();
        }
        match argument {
            0 => exit(),
            1 => write(begin as *const () as usize),
            2 => execute((&raw const INITIAL).addr()),
            place => write(place),
        }
        exit()
    }

    fn write(place: usize) {
        // SAFETY: none: a fault is what is wanted.
        unsafe { with_exposed_provenance_mut::<u32>(place & !3).write_volatile(0) };
    }

    fn execute(place: usize) {
        // SAFETY: the same.
        let code =
            unsafe { core::mem::transmute::<usize, extern "C" fn()>(black_box(place | THUMB)) };
        code();
    }

    const THUMB: usize = if cfg!(target_arch = "arm") { 1 } else { 0 };

    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
        exit()
    }
}

#[cfg(not(target_os = "none"))]
fn main() {}
