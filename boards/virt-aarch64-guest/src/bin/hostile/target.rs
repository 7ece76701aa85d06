//! Owns: the program's course: the turns of the attacks, and the end.

use crate::attacks::{self, Attack};
use crate::chance::Chance;
use crate::plan::{After, Plan};
use crate::{controller, processor, translation, vectors};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_kernel::System;
use taktos_kernel::fault::print;
use virt_aarch64_guest::{Board, bootargs, power};

aarch64_rt::entry!(entry, 8);
fn entry(tree: u64, _: u64, _: u64, _: u64) -> ! {
    bootargs::keep(tree);
    let plan = match Plan::read(bootargs::words()) {
        Ok(plan) => plan,
        Err(word) => {
            print::<Board>(format_args!("refused: {word}; attacks:"));
            for attack in attacks::all() {
                print::<Board>(format_args!(" {}", attack.name));
            }
            Board::write("\n");
            Board::exit(2)
        }
    };
    vectors::install();
    translation::start();
    rage(&plan);
    tell(&plan);
    match plan.after {
        After::Off => Board::exit(0),
        After::Reset => power::reset(),
        After::Stay => loop {
            processor::wait_for_interrupt();
        },
    }
}

/// Number of attempts since the start.
pub static ATTEMPTS: AtomicU64 = AtomicU64::new(0);

fn rage(plan: &Plan) {
    loop {
        let now = processor::counter();
        if now >= plan.until {
            return calm();
        }
        let turn = now / plan.length;
        let end = ((turn + 1) * plan.length).min(plan.until);
        calm();
        // A guest that is started again in its turn makes other random decisions.
        let mut chance = Chance::new(plan.seed ^ now);
        let attack = plan.attack_at(turn);
        vectors::set_end(end);
        processor::scribble(chance.next());
        let mut under_way = Attack {
            chance: &mut chance,
            end,
        };
        (attack.begin)(&mut under_way);
    }
}

/// Restores what an attack changed, so that the next one begins in the state of the first.
fn calm() {
    vectors::install();
    processor::mask();
    processor::stop_timers();
    translation::calm();
    attacks::console::calm();
    controller::set_up();
}

fn tell(plan: &Plan) {
    let (exceptions, interrupts) = vectors::counts();
    print::<Board>(format_args!(
        "@hostile attack={} attempts={} exceptions={exceptions} interrupts={interrupts}\n",
        plan.name(),
        ATTEMPTS.load(Relaxed)
    ));
}
