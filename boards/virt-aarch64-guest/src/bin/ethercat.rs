//! An EtherCAT controller, a segment, or both; the boot arguments select the part.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program! {
    use taktos_ethercat_workload::{MAIN, Objects, run};
    use taktos_kernel::Thread;
    use virt_aarch64_guest::{self as board, Board};

    static FIRST: Thread<Board, 16384> = Thread::new("main").priority(MAIN);
    static OBJECTS: Objects<Board> = Objects::new();

    board::entry!(board::start(&FIRST, main));

    fn main() {
        run(&OBJECTS, || OBJECTS.rung());
    }
}
