//! Hands the linker this board's memory map and symbols.

fn main() {
    let board = taktos_build::Board {
        arguments: &["-Tlink.x", "-Tdevice.x"],
        targets: &["armv7a-none-eabi"],
        scripts: &["memory.x", "device.x"],
        apart: None,
    };
    board.describe();
}
