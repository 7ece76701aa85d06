//! Owns: the frame of the programs that fault on purpose, to test the report.

/// A program that faults at EL2 by `$fault`, an expression, as soon as the map is made.
#[macro_export]
macro_rules! faults {
    ($fault:expr) => {
        use taktos_arch_aarch64_el2::{El2, Vcpu};
        use taktos_hypervisor::hardware::{Exit, Hardware, Next};

        aarch64_rt::entry!(entry, 8);
        fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
            El2::set_up();
            El2::set_up_processors(1);
            El2::run()
        }

        taktos_arch_aarch64_el2::upcalls!(start, exit, start);

        fn start(_: usize) -> Next {
            $fault;
            El2::write(b"there was no fault\n");
            El2::off()
        }

        fn exit(_: &'static Vcpu, _: Exit) -> Option<Next> {
            None
        }
    };
}
