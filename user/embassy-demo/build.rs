//! Hands the board's memory map to the linker.

fn main() {
    taktos_build::link();
}
