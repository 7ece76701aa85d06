//! Owns: the machine's console: all output goes through its lines to its line.
//! Must never know: the writer of a line, its content, and its reason.

use crate::console::{Input, Multiplexer, Output};
use crate::hardware::Hardware;
use core::marker::PhantomData;
use taktos_abi::vm::Description;
use taktos_time::{Duration, Instant};

/// Lines of guests and of the hypervisor.
type Lines = Multiplexer<{ Description::PARTITIONS }>;

/// Space in the waiting output that guests leave to the hypervisor: the end of one guest is
/// reported even if another one floods the console.
const KEPT: usize = 1024;

/// The limit of the hypervisor's lines about a partition: `LINES` at once, and one in each
/// `SPACING` on average. A line has about 60 bytes; those of all partitions are a fraction of a
/// slow serial line, and those of one at once leave room in what waits.
const LINES: u64 = 16;
const SPACING: Duration = Duration::from_millis(100);

/// The lines that were said of a partition.
#[derive(Clone, Copy)]
pub(super) struct Said {
    /// When the lines so far would all have been said, one in [`SPACING`].
    until: Instant,
    /// The last line was not said.
    silent: bool,
}

impl Said {
    pub const NOTHING: Self = Self {
        until: Instant::START,
        silent: false,
    };

    /// Whether a line of the partition may be said at `now`; if so, it is taken for said.
    pub fn may_say(&mut self, now: Instant) -> bool {
        let most = SPACING.as_nanos() * (LINES - 1);
        let until = self.until.max(now);
        self.silent = until.as_nanos() - now.as_nanos() > most;
        if !self.silent {
            self.until = until.saturating_add(SPACING);
        }
        !self.silent
    }

    /// Whether the last line was left out.
    pub fn was_silent(&self) -> bool {
        self.silent
    }
}

/// The console of the machine.
pub(super) struct Screen<H> {
    lines: Lines,
    output: Output,
    hardware: PhantomData<fn() -> H>,
}

impl<H: Hardware> Screen<H> {
    pub fn new(lines: Lines) -> Self {
        Self {
            lines,
            output: Output::new(),
            hardware: PhantomData,
        }
    }

    fn with<R>(
        &mut self,
        kept: usize,
        body: impl FnOnce(&mut Lines, &mut &mut dyn FnMut(&[u8])) -> R,
    ) -> R {
        self.output.begin(kept, H::write);
        let output = &mut self.output;
        let mut out = |piece: &[u8]| output.put(piece, kept, H::write);
        let done = body(&mut self.lines, &mut (&mut out as &mut dyn FnMut(&[u8])));
        if self.output.has_lost() {
            self.lines.break_off();
        }
        done
    }

    /// A byte of a guest's.
    pub fn write(&mut self, partition: usize, byte: u8) {
        self.with(KEPT, |lines, out| lines.write(partition, byte, out));
    }

    /// Writes a line of the hypervisor's own about `partition`, and ends that partition's line.
    pub fn say(&mut self, partition: usize, line: &[u8]) {
        self.with(0, |lines, out| {
            lines.finish(partition, out);
            lines.say(line, out);
        });
    }

    /// A byte that was typed.
    pub fn input(&mut self, byte: u8) -> Input {
        self.with(0, |lines, out| lines.input(byte, out))
    }

    /// The machine's line may have room again.
    pub fn drain(&mut self) {
        self.output.drain(H::write);
    }

    /// Shows all that waits, and ends the machine.
    pub fn off(&mut self) -> ! {
        while !self.output.is_empty() {
            self.drain();
        }
        H::off()
    }
}
