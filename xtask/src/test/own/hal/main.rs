//! A program with the drivers of a chip's vendor: an interrupt by its name in the chip's crate, and
//! durations of both worlds.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos::board::Board;
use taktos::{Semaphore, System, Thread};

static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
static EDGES: Semaphore<Board> = Semaphore::new(0);

#[taktos::main(MAIN)]
fn first() {
    #[cfg(target_os = "none")]
    taktos::println!("{} edges", driven::edges());
    Board::exit(EDGES.count() as i32);
}

/// The part of the program that is there on the chip alone.
#[cfg(target_os = "none")]
mod driven {
    use super::EDGES;
    use stm32f4xx_hal::{interrupt, pac, prelude::*};
    // With the drivers' words in scope, too.
    #[allow(unused_imports)]
    use taktos::Span;
    use taktos::board::Board;
    use taktos::{AnyThread, Duration, Timeout};

    /// How many of five edges are heard.
    pub fn edges() -> usize {
        let pause: fugit::MillisDurationU32 = 5.millis();
        let is_first = pac::Peripherals::take().is_some();
        // SAFETY: no section relies on it being kept back.
        unsafe { pac::NVIC::unmask(pac::Interrupt::EXTI0) };
        other.enable();
        let mut heard = 0;
        for _ in 0..5 {
            pac::NVIC::pend(pac::Interrupt::EXTI0);
            other.pend();
            let both = [(); 2].map(|()| EDGES.take(Timeout::NONE)) == [Ok(()); 2];
            heard += usize::from(both && is_first);
            let _ = AnyThread::<Board>::sleep(Duration::from_millis(pause.to_millis().into()));
        }
        heard
    }

    /// After a reset its priority is above the kernel's level, to which the kernel's start puts it.
    #[interrupt]
    fn EXTI0() {
        let _ = EDGES.give();
    }

    #[taktos::interrupt(pac::Interrupt::EXTI1)]
    fn other() {
        let _ = EDGES.give();
    }
}
