//! Hands the linker a board's memory map. The same for each board of the architecture.

fn main() {
    let board = taktos_build::Board {
        // The board's own comes first: an entry that it names is taken.
        arguments: &["-Tmemory.x", "-Timage.ld"],
        targets: &["aarch64-unknown-none-softfloat"],
        // The second one is what a board's own may include, whose images begin above EL1.
        scripts: &["memory.x", "enter.x", "probe.x"],
        apart: Some(("probe", "-Tprobe.x")),
    };
    board.describe();
}
