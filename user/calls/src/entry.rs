//! Owns: where a program begins that a partition loads, and how it gives up. Must never know: what
//! it does.
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "the instruction that is none")
)]

/// The beginning of a program that is loaded into a partition, and what becomes of a panic in it:
/// [`abort`]. Used once, in the program, with a function that gets the number of the thread that
/// begins and the argument with which it was started, and does not return. Each thread of
/// the partition begins there. Compiled for the host the program has a `main` that does nothing, so
/// that its own tests can run.
///
/// ```ignore
/// taktos_user::entry!(first);
///
/// fn first(_thread: usize, _argument: usize) -> ! {
///     taktos_user::exit()
/// }
/// ```
#[macro_export]
macro_rules! entry {
    ($function:path) => {
        #[cfg(target_os = "none")]
        const _: () = {
            #[unsafe(export_name = "begin")]
            extern "C" fn __taktos_begin(thread: usize, argument: usize) -> ! {
                let function: fn(usize, usize) -> ! = $function;
                function(thread, argument)
            }

            #[panic_handler]
            fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
                $crate::abort()
            }
        };

        #[cfg(not(target_os = "none"))]
        fn main() {
            let _: fn(usize, usize) -> ! = $function;
        }
    };
}

/// Ends the calling thread by a fault, an instruction that is none (`UndefinedInstruction`). The
/// partition's policy says what follows, and its supervisor gets a report with the registers. On
/// the host, which has no partitions, a panic.
#[cfg_attr(target_os = "none", inline(always))]
pub fn abort() -> ! {
    #[cfg(not(target_os = "none"))]
    panic!("a thread of a partition gives up");
    #[cfg(target_os = "none")]
    // SAFETY: no processor executes it (Arm: `udf`, permanently undefined; RISC-V: `unimp`, zeros).
    unsafe {
        #[cfg(any(target_arch = "arm", target_arch = "aarch64"))]
        core::arch::asm!("udf #0", options(noreturn, nomem, nostack));
        #[cfg(target_arch = "riscv64")]
        core::arch::asm!("unimp", options(noreturn, nomem, nostack));
    }
}
