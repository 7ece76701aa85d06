//! The kernel's test-suite, on one processor of four; the emulator's semihosting argument says on which
//! (`-semihosting-config enable=on,target=native,arg=image,arg=2`; 0 without). Each processor is an instance of its own, as the
//! suite's cases want it, and the three others are kept busy with the kernel meanwhile.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(virt_riscv64_smp::smp::suite);
