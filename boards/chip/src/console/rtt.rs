//! Owns: the console in memory, which a probe reads while the processor runs (RTT, by SEGGER).
//! Must never know: the probe. If none reads, text is lost when the memory is full; no writer
//! waits.
//!
//! A probe finds the block by its name. The channel 0 has text. With the feature `defmt` the
//! channel 1 has the records of that crate.

#![expect(unsafe_code, reason = "memory that a probe reads")]

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;
use rtt_target::rtt::{RttChannel, RttHeader};
use rtt_target::{ChannelMode, UpChannel};
use taktos_machine::Machine as _;

use crate::Machine;

const CHANNELS: usize = if cfg!(feature = "defmt") { 2 } else { 1 };
const NAMES: [&[u8]; 2] = [b"Terminal\0", b"defmt\0"];
/// Bytes of each channel.
const SIZE: usize = 1024;

/// As a probe reads it: a head with the numbers of channels, then the channels.
#[repr(C)]
struct Block {
    header: RttHeader,
    channels: [RttChannel; CHANNELS],
}

#[repr(transparent)]
struct Shared<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: `start` writes it before there are threads and handlers; afterwards `write` uses it with
// interrupts masked, on the one processor, and the channel of `defmt` in its critical section.
unsafe impl<T> Sync for Shared<T> {}

#[unsafe(export_name = "_SEGGER_RTT")]
static BLOCK: Shared<Block> = Shared(UnsafeCell::new(MaybeUninit::zeroed()));
static TEXT: Shared<[[u8; SIZE]; CHANNELS]> = Shared(UnsafeCell::new(MaybeUninit::uninit()));

/// Prepares the block. The head is written last: a probe that looks earlier finds nothing.
pub(crate) fn start() {
    let block = BLOCK.0.get().cast::<Block>();
    let text = TEXT.0.get().cast::<[u8; SIZE]>();
    for (number, name) in NAMES.iter().take(CHANNELS).enumerate() {
        // SAFETY: called once, before any writer. All bits zero are a channel that is not yet in
        // use, by its crate; the name and the memory are statics.
        unsafe {
            let channel = &mut *addr_of_mut!((*block).channels)
                .cast::<RttChannel>()
                .add(number);
            channel.init(name.as_ptr(), ChannelMode::NoBlockTrim, text.add(number));
        }
    }
    // SAFETY: as above; there are as many channels behind the head, in this direction alone.
    unsafe { (*block).header.init(CHANNELS, 0) };
    #[cfg(feature = "defmt")]
    rtt_target::set_defmt_channel(channel(1));
}

/// Returns the channel of a number below [`CHANNELS`].
fn channel(number: usize) -> UpChannel {
    let block = BLOCK.0.get().cast::<Block>();
    // SAFETY: `start` has prepared the channels. The place is in the block.
    unsafe {
        UpChannel::new(
            addr_of_mut!((*block).channels)
                .cast::<RttChannel>()
                .add(number),
        )
    }
}

/// Writes `text`, as much of it as there is room for. Not inlined: reports write in many places.
#[inline(never)]
pub(crate) fn write(text: &str) {
    let before = Machine::mask_over();
    channel(0).write(text.as_bytes());
    Machine::restore(before);
}
