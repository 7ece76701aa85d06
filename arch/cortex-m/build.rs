//! Tells the crate whether it is compiled for Armv8-M, which the compiler keeps to itself.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(armv8m)");
    if env::var("TARGET").is_ok_and(|target| target.starts_with("thumbv8m.main")) {
        println!("cargo:rustc-cfg=armv8m");
    }
}
