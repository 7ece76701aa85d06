//! Hands the linker this board's memory map.

fn main() {
    let board = taktos_build::Board {
        arguments: &["-Timage.ld", "-Tmemory.x"],
        targets: &["aarch64-unknown-none-softfloat"],
        scripts: &["memory.x"],
        apart: None,
    };
    board.describe();
}
