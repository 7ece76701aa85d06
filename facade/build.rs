//! Hands on what the board tells the linker, to the program's own build script.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is_told =
        |name: &str| name.starts_with("DEP_TAKTOS_BOARD_") && name.ends_with("_ARGUMENTS");
    if let Some((_, arguments)) = env::vars().find(|(name, _)| is_told(name)) {
        println!("cargo:arguments={arguments}");
    }
}
