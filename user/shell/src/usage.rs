//! Owns: the command that shows the shares of the processor in a span. Must never know: how
//! processor time is counted.

use crate::Shell;
use core::fmt::{self, Write};
use taktos_kernel::{AnyThread, Duration, Kernel, System, table};

/// The most threads of a report.
const THREADS: usize = 32;
/// The longest span, in milliseconds.
const LONGEST: u64 = 60_000;

impl<S: System> Shell<S> {
    /// Sleeps for the span, and writes the processor time of each thread in it.
    pub(crate) fn usage(&self, output: &mut dyn Write, words: &str) -> fmt::Result {
        let span = words
            .parse()
            .ok()
            .filter(|millis| (1..=LONGEST).contains(millis));
        let Some(millis) = span else {
            return writeln!(
                output,
                "error: `{words}` is no span\nhint: usage MILLISECONDS, 1 to {LONGEST}"
            );
        };
        let mut before = [None; THREADS];
        for (place, thread) in before.iter_mut().zip(table::all::<S>()) {
            *place = Some((thread, thread.processor_time()));
        }
        let begun = Kernel::<S>::now();
        let slept = AnyThread::<S>::sleep(Duration::from_millis(millis));
        let span = Kernel::<S>::now().since(begun).as_nanos().max(1);
        if let Err(error) = slept {
            return writeln!(output, "error: the sleep ended: {error}");
        }
        for (thread, had) in before.into_iter().flatten() {
            let part = thread.processor_time().saturating_sub(had).as_nanos();
            let tenths = part.saturating_mul(1_000) / span;
            writeln!(
                output,
                "{:<16} {:>3}.{} %",
                thread.name(),
                tenths / 10,
                tenths % 10
            )?;
        }
        Ok(())
    }
}
