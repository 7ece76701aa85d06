//! Hands the linker a board's memory map. The same for each board of the architecture.

fn main() {
    let board = taktos_build::Board {
        arguments: &["-Tmemory.x", "-Tlink.x"],
        targets: &["riscv64imac-unknown-none-elf"],
        scripts: &["memory.x"],
        apart: None,
    };
    board.describe();
}
