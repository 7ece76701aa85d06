//! Owns: the shell's own commands. Must never know: how a line comes in and goes out.

use crate::Shell;
use core::any::Any;
use core::fmt::{self, Write};
use taktos_kernel::table::{self, Row};
use taktos_kernel::{
    AlarmClock, AnyThread, Condition, Device, EventFlags, Heap, Mutex, Names, Priority, Semaphore,
    System, WorkQueue,
};

/// A registry of names, whatever its size.
pub(crate) trait Registry: Sync {
    /// The number of places.
    fn places(&self) -> usize;
    /// [`Names::at`].
    fn at(&'static self, place: usize) -> Option<(&'static str, &'static (dyn Any + Sync))>;
}

impl<S: System, const N: usize> Registry for Names<S, N> {
    fn places(&self) -> usize {
        N
    }

    fn at(&'static self, place: usize) -> Option<(&'static str, &'static (dyn Any + Sync))> {
        Names::at(self, place)
    }
}

/// A heap, whatever its size.
pub(crate) trait Bytes: Sync {
    /// Its free bytes, and its size.
    fn free_of(&'static self) -> (usize, usize);
}

impl<S: System, const N: usize> Bytes for Heap<S, N> {
    fn free_of(&'static self) -> (usize, usize) {
        (self.available(), N)
    }
}

/// A command: name, help, and the function that executes it.
pub(crate) struct BuiltIn<S: System>(
    pub(crate) &'static str,
    &'static str,
    pub(crate) fn(&Shell<S>, &mut dyn Write, &str) -> fmt::Result,
);

impl<S: System> Shell<S> {
    const BUILT_IN: &'static [BuiltIn<S>] = &[
        BuiltIn("help", "this list", Self::help),
        BuiltIn("version", "the version of the kernel", |_, output, _| {
            writeln!(output, "taktos {}", env!("CARGO_PKG_VERSION"))
        }),
        BuiltIn(
            "threads",
            "all threads, the one created last first",
            Self::threads,
        ),
        BuiltIn(
            "priority",
            "THREAD LEVEL: sets a thread's priority",
            Self::priority,
        ),
        #[cfg(feature = "processor-time")]
        BuiltIn(
            "usage",
            "MILLISECONDS: shares of the processor in that time",
            Self::usage,
        ),
        BuiltIn(
            "objects",
            "the objects that have names",
            Self::objects_by_name,
        ),
        BuiltIn("heap", "free bytes", Self::heap_bytes),
    ];

    /// Returns the commands, without those that need an object that the program did not name.
    pub(crate) fn built_in(&self) -> impl Iterator<Item = &'static BuiltIn<S>> {
        let is_there = |command: &&BuiltIn<S>| match command.0 {
            "objects" => self.names.is_some(),
            "heap" => self.heap.is_some(),
            _ => true,
        };
        Self::BUILT_IN.iter().filter(is_there)
    }

    fn help(&self, output: &mut dyn Write, _: &str) -> fmt::Result {
        for BuiltIn(name, help, _) in self.built_in() {
            writeln!(output, "{name:<10} {help}")?;
        }
        for command in self.own {
            writeln!(output, "{:<10} {}", command.name, command.help)?;
        }
        Ok(())
    }

    fn threads(&self, output: &mut dyn Write, _: &str) -> fmt::Result {
        write!(output, "{}", table::HEAD)?;
        #[cfg(feature = "processor-time")]
        write!(output, "{:>18}", "processor time")?;
        writeln!(output)?;
        for thread in table::all::<S>() {
            write!(output, "{}", Row::of(thread))?;
            #[cfg(feature = "processor-time")]
            write!(output, "{:>15} us", thread.processor_time().as_micros())?;
            writeln!(output)?;
        }
        Ok(())
    }

    fn priority(&self, output: &mut dyn Write, words: &str) -> fmt::Result {
        let Some((name, level)) = words.rsplit_once(' ') else {
            return writeln!(
                output,
                "error: a thread and a level are missing\nhint: priority THREAD LEVEL"
            );
        };
        let Some(thread) = named::<S>(name.trim()) else {
            return writeln!(
                output,
                "error: no thread has the name `{}`\nhint: type `threads`",
                name.trim()
            );
        };
        let Some(priority) = level.parse().ok().and_then(Priority::new) else {
            let most = Priority::LEAST_URGENT.level();
            return writeln!(
                output,
                "error: `{level}` is no priority\nhint: 0 is the most urgent, {most} the least"
            );
        };
        match thread.set_priority(priority) {
            Ok(()) => writeln!(output, "{}", Row::of(thread)),
            Err(error) => writeln!(
                output,
                "error: {} keeps its priority: {error}",
                thread.name()
            ),
        }
    }

    fn objects_by_name(&self, output: &mut dyn Write, _: &str) -> fmt::Result {
        let Some(names) = self.names else {
            return Ok(());
        };
        for (name, object) in (0..names.places()).filter_map(|place| names.at(place)) {
            write!(output, "{name:<16} ")?;
            describe::<S>(output, object)?;
        }
        Ok(())
    }

    fn heap_bytes(&self, output: &mut dyn Write, _: &str) -> fmt::Result {
        let Some(heap) = self.heap else {
            return Ok(());
        };
        let (free, all) = heap.free_of();
        writeln!(output, "{free} of {all} bytes are free")
    }
}

/// Returns the thread of a name, the one created last if several have it. Bound: the threads; each
/// is a section of its own.
fn named<S: System>(name: &str) -> Option<&'static AnyThread<S>> {
    table::all::<S>().find(|thread| thread.name() == name)
}

/// Writes the kind of an object and its state, for kinds without a size or a type of their own.
fn describe<S: System>(output: &mut dyn Write, object: &'static (dyn Any + Sync)) -> fmt::Result {
    let object: &'static dyn Any = object;
    if let Some(semaphore) = object.downcast_ref::<Semaphore<S>>() {
        return writeln!(output, "{:<12} {} permits", "semaphore", semaphore.count());
    }
    if let Some(mutex) = object.downcast_ref::<Mutex<S>>() {
        let owner = mutex.owner().map_or("nothing", |thread| thread.name());
        return writeln!(output, "{:<12} owned by {owner}", "mutex");
    }
    if let Some(events) = object.downcast_ref::<EventFlags<S>>() {
        return writeln!(output, "{:<12} {:#010x}", "event flags", events.get());
    }
    if let Some(device) = object.downcast_ref::<Device<S>>() {
        return writeln!(output, "{:<12} {} openings", "device", device.openings());
    }
    let kind = match object {
        _ if object.is::<Condition<S>>() => "condition",
        _ if object.is::<WorkQueue<S>>() => "work queue",
        _ if object.is::<AlarmClock<S>>() => "alarm clock",
        _ => "object",
    };
    writeln!(output, "{kind}")
}
