//! Ends of a run that the image does not choose. Must never know: the use of the record.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::Error;
use crate::scratch::Scratch;

/// Ends a run by itself; what it showed until then is its record. The limit of instructions does
/// not hold for it, and the limit of real time ends it in the same way.
#[derive(Debug, Clone)]
pub struct Until {
    /// When this much virtual time has passed.
    pub time: Duration,
    /// When this number of marks, switches and wake-ups was recorded.
    pub events: u64,
    /// Virtual time that the run has reached, in nanoseconds, for threads that wait for it.
    pub reached: Arc<AtomicU64>,
}

/// Cause of a run's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// The image.
    #[default]
    Image,
    /// It had executed as many instructions as it may.
    Instructions,
    /// The virtual time that it was given was over.
    Time,
    /// As much was recorded as it may.
    Full,
    /// The real time that it was given was over.
    RealTime,
}

impl Ending {
    /// That of a number in the clock's record.
    pub(crate) fn numbered(number: u64) -> Result<Self, Error> {
        const ALL: [Ending; 5] = [
            Ending::Image,
            Ending::Instructions,
            Ending::Time,
            Ending::Full,
            Ending::RealTime,
        ];
        let ending = usize::try_from(number)
            .ok()
            .and_then(|number| ALL.get(number));
        ending.copied().ok_or(Error::Damaged("an end of no kind"))
    }
}

/// Real time that the emulator gets beyond the clock's own limit before it counts as hung.
pub(crate) const GRACE: Duration = Duration::from_secs(30);

impl Until {
    /// The clock's options.
    pub(crate) fn options(&self, real_time: Duration, progress: &Path) -> String {
        format!(
            ",until={},most={},seconds={},progress={}",
            self.time.as_nanos().max(1),
            self.events.max(1),
            real_time.as_secs().max(1),
            crate::options::argument(progress),
        )
    }

    /// Takes over how far the run is, as its clock has written it.
    pub(crate) fn look(&self, scratch: &Scratch) {
        let written = std::fs::read(scratch.file(PROGRESS)).unwrap_or_default();
        if let Ok(bytes) = written.try_into() {
            self.reached
                .store(u64::from_le_bytes(bytes), Ordering::Relaxed);
        }
    }
}

/// The name of the file in which the clock says how far the run is.
pub(crate) const PROGRESS: &str = "progress";
