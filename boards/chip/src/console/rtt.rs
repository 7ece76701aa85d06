//! Owns: the console in memory, which a probe reads while the processor runs (RTT, by SEGGER).
//! Must never know: the probe. If none reads, text is lost when the memory is full; no writer
//! waits.
//!
//! A probe finds the block by its name. The channel 0 has text. With the feature `defmt` the
//! channel 1 has the records of that crate. With the feature `console-input` there is a channel in
//! the other direction, for what is typed at the probe's terminal.

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
/// How many channels there are for input.
const INPUTS: usize = if cfg!(feature = "console-input") {
    1
} else {
    0
};

/// As a probe reads it: a head with the numbers of channels, then the channels, those for input
/// last.
#[repr(C)]
struct Block {
    header: RttHeader,
    channels: [RttChannel; CHANNELS],
    inputs: [RttChannel; INPUTS],
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
    #[cfg(feature = "console-input")]
    input::start(block);
    // SAFETY: as above; there are as many channels behind the head, in each direction.
    unsafe { (*block).header.init(CHANNELS, INPUTS) };
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

#[cfg(feature = "console-input")]
pub(crate) mod input {
    //! Owns: the channel for input. Must never know: the meaning of its bytes.

    use super::*;
    use rtt_target::DownChannel;

    /// Bytes of the channel.
    const INPUT_SIZE: usize = 64;

    static TYPED: Shared<[u8; INPUT_SIZE]> = Shared(UnsafeCell::new(MaybeUninit::uninit()));

    /// Returns the channel's place in a block.
    fn place(block: *mut Block) -> *mut RttChannel {
        // SAFETY: a field of the one block; no reference to it is made.
        unsafe { addr_of_mut!((*block).inputs).cast::<RttChannel>() }
    }

    /// Prepares the channel.
    pub(super) fn start(block: *mut Block) {
        let typed = TYPED.0.get().cast::<[u8; INPUT_SIZE]>();
        // SAFETY: called once, by the start of the block, before any reader; as there.
        unsafe {
            (*place(block)).init(NAMES[0].as_ptr(), ChannelMode::NoBlockSkip, typed);
        }
    }

    /// Reads bytes that were typed at the probe's terminal into `bytes`, without waiting. Returns
    /// how many bytes those are, up to 63. Bound: those bytes, masked.
    pub fn read_console(bytes: &mut [u8]) -> usize {
        let before = Machine::mask_over();
        // SAFETY: `start` has prepared the channel before there were threads, and all readers are
        // masked.
        let mut channel = unsafe { DownChannel::new(place(BLOCK.0.get().cast())) };
        let read = channel.read(bytes);
        Machine::restore(before);
        read
    }
}
