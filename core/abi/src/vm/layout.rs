//! Owns: the address spaces of a guest, and of the hypervisor itself: what is located where.
//! Must never know: what a certain guest's memory holds.
//!
//! A guest finds the same devices at the same places as on the emulator's board `virt`, so
//! that one image runs on the bare board (at EL1) and as a guest.

/// The distributor of the virtual interrupt controller (GICv3).
pub const DISTRIBUTOR: u64 = 0x0800_0000;
/// How long it is.
pub const DISTRIBUTOR_BYTES: u64 = 0x1_0000;
/// The first redistributor; one of [`REDISTRIBUTOR_STRIDE`] for each VCPU follows another.
pub const REDISTRIBUTOR: u64 = 0x080A_0000;
/// From one VCPU's redistributor to the next: two frames of 64 KiB.
pub const REDISTRIBUTOR_STRIDE: u64 = 0x2_0000;
/// The guest's console: a PL011.
pub const CONSOLE: u64 = 0x0900_0000;
/// How long it is.
pub const CONSOLE_BYTES: u64 = 0x1000;
/// The console's interrupt (SPI 1, as on the board).
pub const CONSOLE_INTERRUPT: u32 = 33;
/// The PL011 by which a guest sees channel 0 when its end is [`super::Linkage::Uart`]; the
/// next channel's follows [`CHANNEL_UART_STRIDE`] later.
pub const CHANNEL_UART: u64 = 0x0904_0000;
/// From one channel's PL011 to the next.
pub const CHANNEL_UART_STRIDE: u64 = 0x1000;
/// The memory of channel 0 as a guest sees it when its end is [`super::Linkage::Memory`].
pub const CHANNEL_MEMORY: u64 = 0x0B00_0000;
/// From one channel's memory to the next: also the largest.
pub const CHANNEL_MEMORY_STRIDE: u64 = 0x1_0000;
/// The interrupt of channel 0 (a doorbell, or its PL011's); channel n's is n above it.
pub const CHANNEL_INTERRUPT: u32 = 48;
/// Where a guest's memory begins.
pub const MEMORY: u64 = 0x4000_0000;
/// The first address that no guest has: intermediate physical addresses have 32 bits.
pub const END: u64 = 0x1_0000_0000;

/// Where the machine's memory begins (the board `virt`).
pub const MACHINE_MEMORY: u64 = 0x4000_0000;
/// Where the hypervisor's image begins.
pub const HYPERVISOR: u64 = 0x4020_0000;
/// Where the tool puts the [`super::Description`], at most [`DESCRIPTION_BYTES`] long.
pub const DESCRIPTION: u64 = 0x40F0_0000;
/// The space for the description, in bytes.
pub const DESCRIPTION_BYTES: u64 = 0x1_0000;
/// The first address that is the partitions': stores of images, guests' memory, channels.
pub const PARTITIONS: u64 = 0x4100_0000;

/// Physical interrupts of the processor: the hypervisor's timer (CNTHP), the maintenance
/// interrupt of the virtual interface, the guest's timer (CNTV), the guest's physical timer.
pub const HYPERVISOR_TIMER_INTERRUPT: u32 = 26;
/// See [`HYPERVISOR_TIMER_INTERRUPT`].
pub const MAINTENANCE_INTERRUPT: u32 = 25;
/// The guest's virtual timer, physically and virtually.
pub const TIMER_INTERRUPT: u32 = 27;
/// The guest's (emulated) physical timer.
pub const PHYSICAL_TIMER_INTERRUPT: u32 = 30;
