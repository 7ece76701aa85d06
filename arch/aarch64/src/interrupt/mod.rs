//! Owns: the handlers of interrupts, and the way to them.
//! Must never know: what an interrupt is good for; of which version the controller is: `v2` and
//! `v3` do.

pub(crate) mod mask;
#[cfg_attr(feature = "gicv2", path = "v2.rs")]
#[cfg_attr(not(feature = "gicv2"), path = "v3.rs")]
pub(crate) mod version;

use crate::board::Board;
use crate::processors::{publish, settle};
use core::cell::Cell;
pub(crate) use mask::{in_handler, mask, mask_over, restore, unmask};
pub use version::INTERRUPTS;

/// Handles an interrupt, at the kernel's level: it may call what does not block.
pub type Handler = fn();

/// The interrupts below are sent by software, those below the second number belong to one
/// processor.
pub(crate) const SOFTWARE: u32 = 16;
const PRIVATE: u32 = 32;

struct Handlers([Cell<Option<Handler>>; INTERRUPTS as usize]);

// SAFETY: one word each, written before the interrupt is enabled; where it is enabled already, its
// handler comes to be another one at some instant, for each processor.
unsafe impl Sync for Handlers {}

static HANDLERS: Handlers = Handlers([const { Cell::new(None) }; INTERRUPTS as usize]);

/// Makes `handler` handle the interrupt `number`, and lets it through. A private one comes to each
/// processor.
pub(crate) fn set_handler<B: Board>(number: u32, handler: Handler) {
    let Some(place) = HANDLERS.0.get(number as usize) else {
        return;
    };
    place.set(Some(handler));
    // Seen by whichever processor the interrupt comes to.
    publish();
    version::enable::<B>(number);
}

/// Keeps the interrupt `number` from its handler, on each processor.
pub(crate) fn disable<B: Board>(number: u32) {
    if number < INTERRUPTS {
        version::disable::<B>(number);
    }
}

/// Makes the interrupt `number` of a device pending, as the device would.
pub(crate) fn pend_shared<B: Board>(number: u32) {
    if (PRIVATE..INTERRUPTS).contains(&number) {
        version::pend_shared::<B>(number);
    }
}

/// Sends this processor the interrupt `number`.
#[inline(always)]
pub(crate) fn pend<B: Board>(number: u32) {
    version::pend::<B>(number);
}

/// Lets interrupts through to the processor.
pub(crate) fn start<B: Board>() {
    version::start::<B>();
}

/// Serves one interrupt. If more are pending, the processor comes again at once.
///
/// # Safety
/// The caller has been interrupted, and runs on the handlers' stack with the mask set: so what is
/// called here is a handler at the kernel's level, of which there is one at a time, and begins
/// without the lock, which a holder is not interrupted with.
pub(crate) unsafe extern "C" fn dispatch() {
    let Some(interrupt) = version::acknowledge() else {
        return;
    };
    settle();
    if let Some(handler) = HANDLERS
        .0
        .get(version::number_of(&interrupt))
        .and_then(Cell::get)
    {
        handler();
    }
    // A handler that called the kernel comes back with the mask cleared. After the end of service
    // the mask alone keeps out the next interrupt.
    mask();
    version::end(interrupt);
}
