//! Faults on purpose, one a run; the emulator's semihosting argument names which
//! (`-semihosting-config enable=on,target=native,arg=overflow`). Each must be reported, and ends with
//! the status 70; a run that goes on ends with 1.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program! {
    #![expect(unsafe_code, reason = "the handler of an interrupt is found by its symbol")]

    use mps2_an386::{self as board, Board};
    use taktos_kernel::Semaphore;
    taktos_workloads::one_processor!(faults);

    static NOBODY_WAITS: Semaphore<Board> = Semaphore::new(0);

    /// What would wake nobody is done in place, where it cannot be refused.
    #[unsafe(no_mangle)]
    extern "C" fn taktos_urgent_interrupt() {
        let _ = NOBODY_WAITS.give();
    }
}
