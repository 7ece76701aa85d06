//! The kernel's test-suite.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program! {
    #![expect(unsafe_code, reason = "the handler of an interrupt is found by its symbol")]

    use mps2_an386::{self as board, Board};
    taktos_workloads::one_processor!(suite);

    /// Each other board has an interrupt more to spare.
    #[unsafe(no_mangle)]
    extern "C" fn taktos_spare_interrupt() {
        board::suite::serve();
    }
}
