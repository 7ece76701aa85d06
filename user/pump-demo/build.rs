//! Hands the linker the board's memory map, and has the program built that is loaded.

use taktos_build::Place;

/// Where the program's memory lies on each board, by its feature as cargo names it: at multiples of the sizes, between what the image has at
/// the beginning of memory and the stack of handlers at its end.
const BASES: [(&str, usize); 9] = [
    ("MPS2_AN386", 0x2020_0000),
    // In the memory of the chip, for the processor's own for data need not hold code.
    ("MPS3_AN547", 0x3100_0000),
    ("REALVIEW_PB_A8", 0x7400_0000),
    ("STM32F405", 0x2001_0000),
    ("STM32L475_IOT01", 0x2001_0000),
    ("VIRT_AARCH64", 0x4400_0000),
    ("VIRT_AARCH64_SMP", 0x4400_0000),
    ("VIRT_RISCV64", 0x8400_0000),
    ("VIRT_RISCV64_SMP", 0x8400_0000),
];

fn main() {
    taktos_build::link();
    let named = |board: &str| std::env::var_os(format!("CARGO_FEATURE_{board}")).is_some();
    let base = BASES.iter().find(|(board, _)| named(board));
    let place = Place {
        base: base.map_or(0, |(_, base)| *base),
        code: 4096,
        memory: 4096,
        stacks: 4 * 512,
    };
    taktos_build::load("pump", &place);
}
