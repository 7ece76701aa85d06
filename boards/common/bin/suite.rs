//! The kernel's test-suite. With several processors it runs on one; the emulator's semihosting
//! argument gives its number (`-semihosting-config enable=on,target=native,arg=image,arg=2`; 0 by
//! default). Each processor is then an instance of its own, as the suite's cases require it, and
//! the others are kept busy with the kernel meanwhile.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(any::suite);
