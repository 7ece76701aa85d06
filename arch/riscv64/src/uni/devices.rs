//! Owns: the platform-level interrupt controller, by which devices interrupt the one processor, and
//! their handlers. Must never know: what an interrupt is good for.
//!
//! Registers: RISC-V platform-level interrupt controller specification, version 1.0.0. All sources
//! have one priority: handlers do not nest, and of several that wait the lowest number is first.

use crate::board::{Board, Controller};
use crate::interrupt::{self, Handler};
use core::cell::Cell;
use core::ops::Range;
use core::ptr::with_exposed_provenance_mut;

/// Bits of `sie` that let interrupts of devices through: the external one, by which the controller
/// interrupts.
pub(crate) const ENABLED: usize = 1 << 9;

/// How many interrupts can have handlers: those that software sends, and 112 sources of the
/// controller.
pub const INTERRUPTS: u32 = 128;
/// The controller's sources among them.
const SOURCES: usize = INTERRUPTS as usize - interrupt::INTERRUPTS;

/// Each source's priority, a word each; the bits by which a context hears them; its threshold, and
/// what it claims.
const PRIORITY: usize = 0;
const ENABLE: usize = 0x2000;
const ENABLE_OF_A_CONTEXT: usize = 0x80;
const THRESHOLD: usize = 0x20_0000;
const CLAIM: usize = THRESHOLD + 4;
const WORDS_OF_A_CONTEXT: usize = 0x1000;

struct Handlers([Cell<Option<Handler>>; SOURCES]);

// SAFETY: one word each, written before the interrupt is enabled; where it is enabled already, its
// handler comes to be another one at some instant.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers([const { Cell::new(None) }; SOURCES]);

struct Serve(Cell<Option<fn()>>);

// SAFETY: one word, written before an interrupt of a device is enabled, and the same each time.
unsafe impl Sync for Serve {}

/// Function that serves an interrupt. Known only from the first handler on: a program that has none
/// does not contain it.
static SERVE: Serve = Serve(Cell::new(None));

/// The source of the interrupt `number`, which is then one of a device.
fn source(number: u32) -> Option<usize> {
    (number as usize).checked_sub(interrupt::INTERRUPTS)
}

/// Registers to map in addition to the board's devices: the controller's, up to those of the
/// context.
pub(crate) const fn registers<B: Board>() -> Range<usize> {
    match B::CONTROLLER {
        None => 0..0,
        Some(Controller { address, context }) => {
            address..address + THRESHOLD + (context + 1) * WORDS_OF_A_CONTEXT
        }
    }
}

/// A register of the controller.
fn register(controller: Controller, offset: usize) -> *mut u32 {
    with_exposed_provenance_mut(controller.address + offset)
}

/// Those of the context.
fn of_context(controller: Controller, offset: usize) -> *mut u32 {
    register(controller, offset + WORDS_OF_A_CONTEXT * controller.context)
}

/// Makes `handler` handle the interrupt `number`, and lets it through; says whether it is one of a
/// device.
pub(crate) fn set_handler<B: Board>(number: u32, handler: Handler) -> bool {
    let source = source(number);
    if let Some(source) = source {
        handle::<B>(source, handler);
    }
    source.is_some()
}

fn handle<B: Board>(source: usize, handler: Handler) {
    let (Some(place), Some(controller)) = (HANDLERS.0.get(source), B::CONTROLLER) else {
        return;
    };
    place.set(Some(handler));
    SERVE.0.set(Some(serve_claimed::<B>));
    change_enabled(controller, source, |word, bit| word | bit);
    // SAFETY: registers of the controller, which is this module's alone; the map has them as device
    // memory.
    unsafe {
        register(controller, PRIORITY + 4 * source).write_volatile(1);
        // Last: the emulator's controller looks then whether a source that waits is heard now, not
        // when it is enabled.
        of_context(controller, THRESHOLD).write_volatile(0);
    }
}

/// Changes the word by which the context hears a source. Other sources have bits in the same word,
/// so no other code may change it meanwhile.
fn change_enabled(controller: Controller, source: usize, change: fn(u32, u32) -> u32) {
    let of_context = ENABLE + ENABLE_OF_A_CONTEXT * controller.context;
    let word = register(controller, of_context + source / 32 * 4);
    let was_unmasked = interrupt::mask_over();
    // SAFETY: as for `set_handler`.
    unsafe { word.write_volatile(change(word.read_volatile(), 1 << (source % 32))) };
    interrupt::restore(was_unmasked);
}

/// Keeps the interrupt `number` from its handler, if it is one of a device.
pub(crate) fn disable<B: Board>(number: u32) {
    let source = source(number).filter(|source| *source < SOURCES);
    if let (Some(controller), Some(source)) = (B::CONTROLLER, source) {
        change_enabled(controller, source, |word, bit| word & !bit);
    }
}

/// Serves an external interrupt.
pub(crate) fn serve() {
    if let Some(serve) = SERVE.0.get() {
        serve();
    }
}

/// Serves one that the controller names. If more wait, the processor comes again at once.
fn serve_claimed<B: Board>() {
    let Some(controller) = B::CONTROLLER else {
        return;
    };
    let claim = of_context(controller, CLAIM);
    // SAFETY: a register of the controller; reading it takes the interrupt into service.
    let source = unsafe { claim.read_volatile() };
    if source == 0 {
        return;
    }
    if let Some(handler) = HANDLERS.0.get(source as usize).and_then(Cell::get) {
        handler();
    }
    // SAFETY: the same; writing the number ends the service.
    unsafe { claim.write_volatile(source) };
}
