//! Jobs at instants of the machine's clock, as a guest; the boot arguments give times and lengths.
#![cfg_attr(target_os = "none", no_std, no_main)]

taktos_workloads::program!(guest::periodic);
