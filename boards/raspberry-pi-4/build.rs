//! Describes the board for the linker, and for crates that build programs for it.

fn main() {
    taktos_build::aarch64();
}
