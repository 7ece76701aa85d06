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
use core::sync::atomic::{Ordering, fence};
use taktos_machine::Machine as _;

use crate::Machine;

const CHANNELS: usize = if cfg!(feature = "defmt") { 2 } else { 1 };
const NAMES: [&[u8]; 2] = [b"Terminal\0", b"defmt\0"];
/// Bytes of each channel: a power of two.
const SIZE: usize = 1024;
/// How many channels there are for input.
const INPUTS: usize = if cfg!(feature = "console-input") {
    1
} else {
    0
};

/// The name of the block, from its end.
const NAME: [u8; 16] = *b"\0\0\0\0\0\0TTR REGGES";
/// The flag of a channel that takes as much of a text as there is room for.
const TRIM: usize = 1;

/// As a probe reads it: a head with the numbers of channels, then the channels, those for input
/// last.
#[repr(C)]
struct Block {
    name: [u8; 16],
    channels: usize,
    inputs: usize,
    outward: [Channel; CHANNELS],
    inward: [Channel; INPUTS],
}

/// A ring of bytes. All words but the two positions stay as they are.
#[repr(C)]
struct Channel {
    name: *const u8,
    memory: *mut u8,
    size: usize,
    /// The position of the next byte to be written, and of the next to be read.
    written: usize,
    read: usize,
    flags: usize,
}

impl Channel {
    /// Prepares the channel at `place`. The memory is written last: a probe that looks earlier
    /// finds none.
    ///
    /// # Safety
    /// Called once, before any use of the channel, with memory of `size` bytes that nothing else
    /// uses.
    unsafe fn start(place: *mut Self, name: &'static [u8], memory: *mut u8, size: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            (&raw mut (*place).name).write_volatile(name.as_ptr());
            (&raw mut (*place).size).write_volatile(size);
            (&raw mut (*place).flags).write_volatile(TRIM);
            (&raw mut (*place).memory).write_volatile(memory);
        }
    }
}

#[repr(transparent)]
struct Shared<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: `start` writes it before there are threads and handlers; afterwards `write` uses it with
// interrupts masked, on the one processor, and the channel of `defmt` in its critical section.
unsafe impl<T> Sync for Shared<T> {}

#[unsafe(export_name = "_SEGGER_RTT")]
static BLOCK: Shared<Block> = Shared(UnsafeCell::new(MaybeUninit::zeroed()));
static TEXT: Shared<[[u8; SIZE]; CHANNELS]> = Shared(UnsafeCell::new(MaybeUninit::uninit()));

/// Returns the place of the channel of a number below [`CHANNELS`], and that of its memory.
fn outward(number: usize) -> (*mut Channel, *mut u8) {
    let block = BLOCK.0.get().cast::<Block>();
    // SAFETY: a field of the one block; no reference to it is made.
    let channels = unsafe { (&raw mut (*block).outward).cast::<Channel>() };
    let memory = TEXT.0.get().cast::<[u8; SIZE]>();
    (
        channels.wrapping_add(number),
        memory.wrapping_add(number).cast(),
    )
}

/// Prepares the block. The head is written last: a probe that looks earlier finds nothing.
pub(crate) fn start() {
    for (number, name) in NAMES.into_iter().take(CHANNELS).enumerate() {
        let (channel, memory) = outward(number);
        // SAFETY: called once, before any writer; both are in statics.
        unsafe { Channel::start(channel, name, memory, SIZE) };
    }
    #[cfg(feature = "console-input")]
    input::start();
    let block = BLOCK.0.get().cast::<Block>();
    // SAFETY: as above; there are as many channels behind the head, in each direction.
    unsafe {
        (&raw mut (*block).channels).write_volatile(CHANNELS);
        (&raw mut (*block).inputs).write_volatile(INPUTS);
        let name = (&raw mut (*block).name).cast::<u8>();
        for (place, byte) in NAME.into_iter().enumerate() {
            name.add(NAME.len() - 1 - place).write_volatile(byte);
        }
    }
    #[cfg(feature = "defmt")]
    // SAFETY: the channel is prepared, and laid out as that crate's are: both as probes read them.
    rtt_target::set_defmt_channel(unsafe { rtt_target::UpChannel::new(outward(1).0.cast()) });
}

/// Writes `text`, as much of it as there is room for. Not inlined: reports write in many places.
#[inline(never)]
pub(crate) fn write(text: &str) {
    let (channel, memory) = outward(0);
    let before = Machine::mask_over();
    // SAFETY: `start` has prepared the channel, and all writers are masked; the probe writes one
    // word of it. Positions are below the size.
    unsafe {
        let read = (&raw const (*channel).read).read_volatile();
        let mut next = (&raw const (*channel).written).read_volatile() % SIZE;
        for byte in text.bytes() {
            let after = (next + 1) % SIZE;
            if after == read {
                break;
            }
            // Byte by byte, which takes less code than a copy of memory.
            memory.add(next).write_volatile(byte);
            next = after;
        }
        fence(Ordering::Release);
        (&raw mut (*channel).written).write_volatile(next);
    }
    Machine::restore(before);
}

#[cfg(feature = "console-input")]
pub(crate) mod input {
    //! Owns: the channel for input. Must never know: the meaning of its bytes.

    use super::*;

    /// The bytes of the channel: a power of two.
    const SIZE: usize = 64;

    static TYPED: Shared<[u8; SIZE]> = Shared(UnsafeCell::new(MaybeUninit::uninit()));

    /// Returns the channel's place.
    fn channel() -> *mut Channel {
        let block = BLOCK.0.get().cast::<Block>();
        // SAFETY: a field of the one block; no reference to it is made.
        unsafe { (&raw mut (*block).inward).cast() }
    }

    /// Prepares the channel.
    pub(super) fn start() {
        // SAFETY: called once, by the start of the block, before any reader; as there.
        unsafe { Channel::start(channel(), NAMES[0], TYPED.0.get().cast(), SIZE) };
    }

    /// Reads bytes that were typed at the probe's terminal into `bytes`, without waiting. Returns
    /// how many bytes those are, up to 63. Bound: those bytes, masked.
    pub fn read_console(bytes: &mut [u8]) -> usize {
        let (channel, memory) = (channel(), TYPED.0.get().cast::<u8>());
        let mut count = 0;
        let before = Machine::mask_over();
        // SAFETY: `start` has prepared the channel before there were threads, and all readers are
        // masked; the probe writes what lies between the positions. They are below the size.
        unsafe {
            let written = (&raw const (*channel).written).read_volatile() % SIZE;
            let mut next = (&raw const (*channel).read).read_volatile() % SIZE;
            fence(Ordering::Acquire);
            for byte in bytes {
                if next == written {
                    break;
                }
                *byte = memory.add(next).read_volatile();
                next = (next + 1) % SIZE;
                count += 1;
            }
            (&raw mut (*channel).read).write_volatile(next);
        }
        Machine::restore(before);
        count
    }
}
