//! Owns: what a network end is to the controller. Must never know: the protocol.

use taktos_kernel::Instant;

/// The longest Ethernet frame without its check sequence (IEEE 802.3: 1,500 bytes after a header of
/// 14), rounded up to whole words.
pub const FRAME: usize = 1_536;

/// A network end with a clock: frames go out, frames come in, and the thread blocks until one may
/// have come. Frames are whole, from the destination's address on, without preamble and check
/// sequence.
pub trait Wire {
    /// Returns the time of the clock by which [`Wire::wait`] ends. It never goes back.
    fn now(&mut self) -> Instant;

    /// Sends a frame; one that cannot be sent is lost, as on a wire.
    fn send(&mut self, frame: &[u8]);

    /// Takes the oldest frame that has come. Does not block.
    fn receive(&mut self) -> Option<&[u8]>;

    /// Blocks the thread until a frame may have come, or until `until`. May come back early.
    fn wait(&mut self, until: Instant);
}
