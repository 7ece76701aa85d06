//! Attacks of threads in partitions on everything else, while interrupts above the kernel's level
//! come all the time. Its words on the command line are those of the attacks, and `level=`, that of
//! the interrupts (32).
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[expect(unsafe_code, reason = "a timer, and a handler of its interrupt")]
#[path = "../../../../workloads/ports/cortex_m/urgent_timer.rs"]
mod timer;

/// The shortest time between two of these interrupts, in ticks: 280 instructions, of which the
/// handler has some forty.
#[cfg(target_os = "none")]
const SHORTEST_PERIOD: u32 = 7;

taktos_workloads::program! {
    include!(concat!(env!("OUT_DIR"), "/board.rs"));
    use crate::{SHORTEST_PERIOD, timer};
    use taktos_kernel::fault::print;
    use taktos_workloads::command_line::each_argument;

    taktos_workloads::one_processor!(@ user_attack, board::start(&MAIN, main), under_storm);

    /// Runs the attacks while the interrupts come. Returns whether all passed and interrupts came
    /// everywhere.
    fn under_storm(objects: &'static attack::Objects<Board>) -> bool {
        let mut level = 32;
        each_argument::<Board>(|word| {
            if let Some(("level", number)) = word.split_once('=') {
                level = number.parse().unwrap_or(level);
            }
        });
        board::urgent_interrupt::enable(level);
        timer::start(SHORTEST_PERIOD);
        let passed = attack::run(objects);
        timer::stop();
        let came = [timer::count(), timer::while_masked(), timer::in_a_handler()];
        let everywhere = came.into_iter().all(|count| count > 100);
        if !everywhere {
            print::<Board>(format_args!(
                "wrong: the storm comes everywhere: {came:?} times, while the kernel masked, in handlers\n"
            ));
        }
        passed && everywhere
    }
}
