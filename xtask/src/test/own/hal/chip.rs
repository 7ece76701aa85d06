//! A program with drivers for a chip that is no board: they choose priorities above the kernel's
//! level and at it, before the kernel starts.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos::board::Board;
use taktos::{Semaphore, System, Thread};

static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
static EDGES: Semaphore<Board> = Semaphore::new(0);

#[taktos::main(MAIN, clock = driven::clock)]
fn first() {
    #[cfg(target_os = "none")]
    taktos::println!("{} edges", driven::edges());
    Board::exit(EDGES.count() as i32);
}

/// The part of the program that is there on the chip alone.
#[cfg(target_os = "none")]
mod driven {
    use super::EDGES;
    use stm32f4xx_hal::pac::{self, Interrupt};
    use taktos::board::Board;
    use taktos::{AnyThread, Span, Timeout};

    /// Interrupts, and the priorities that drivers choose for them.
    const CHOSEN: [(Interrupt, u8); 3] = [
        (Interrupt::EXTI0, 0x00),
        (Interrupt::EXTI1, 0x40),
        (Interrupt::EXTI2, 0x80),
    ];

    pub fn clock() -> u32 {
        CHOSEN.map(|(interrupt, priority)| choose(interrupt, priority));
        168_000_000
    }

    fn choose(interrupt: Interrupt, priority: u8) {
        // SAFETY: no section relies on it being kept back.
        unsafe {
            let mut processor = pac::CorePeripherals::steal();
            processor.NVIC.set_priority(interrupt, priority);
            pac::NVIC::unmask(interrupt);
        }
    }

    /// How many of five edges of each are heard.
    pub fn edges() -> usize {
        let mut heard = 0;
        for _ in 0..5 {
            for (interrupt, _) in CHOSEN {
                pac::NVIC::pend(interrupt);
                heard += usize::from(EDGES.take(Timeout::NONE).is_ok());
            }
            let _ = AnyThread::<Board>::sleep(5.millis());
        }
        heard
    }

    #[taktos::interrupt(Interrupt::EXTI0)]
    fn first() {
        let _ = EDGES.give();
    }

    #[taktos::interrupt(Interrupt::EXTI1)]
    fn second() {
        let _ = EDGES.give();
    }

    #[taktos::interrupt(Interrupt::EXTI2)]
    fn third() {
        let _ = EDGES.give();
    }
}
