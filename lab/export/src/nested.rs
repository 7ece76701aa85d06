//! Two levels on one time line: the threads on virtual processors, which are threads of a host.
//!
//! To its host a virtual processor is a thread, to its guest a processor. A guest's thread has its
//! virtual processor also while that waits for a real one, and executes nothing then.
//! [`with_guests`] shows it so: the guest's thread leaves together with its virtual processor, and
//! could have continued; it returns together with it. Must never know: the scheduler of either
//! level.

use std::collections::BTreeMap;

use taktos_trace::{Event, Handover, Kind, Left, Thread, Waking};

use crate::Recording;

/// A virtual processor by its two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vcpu {
    /// The thread that it is to its host.
    thread: Thread,
    /// The processor that it is to its guest, as the recording of both numbers processors.
    processor: u8,
}

/// A guest of what a recording is of.
#[derive(Clone, Debug)]
pub struct Guest {
    /// Its name; its threads, processors and marks bear that before their own names.
    pub name: String,
    /// Its recording, on processors of its own.
    pub recording: Recording,
    /// The thread that each of those is to the host.
    pub vcpus: Vec<Thread>,
}

/// Returns a host with its guests as one recording. The guests' processors come after the host's
/// processors, of which each must have a name.
#[must_use]
pub fn with_guests(mut host: Recording, guests: Vec<Guest>) -> Recording {
    let mut vcpus = Vec::new();
    for guest in guests {
        let (thread, mark) = (host.threads.len() as u16, host.marks.len() as u32);
        let first = host.processors.len();
        let own = |name: String| format!("{}/{name}", guest.name);
        host.threads
            .extend(guest.recording.threads.into_iter().map(own));
        host.marks
            .extend(guest.recording.marks.into_iter().map(own));
        let numbers = 0..guest.vcpus.len();
        host.processors
            .extend(numbers.map(|number| own(format!("vcpu{number}"))));
        // A virtual processor that has no number as a processor shows nothing of its guest.
        let number = |place: usize| u8::try_from(first + place).ok();
        let known = (0..).zip(&guest.vcpus).filter_map(|(place, thread)| {
            let thread = *thread;
            number(place).map(|processor| Vcpu { thread, processor })
        });
        vcpus.extend(known);
        let events = guest.recording.events.iter().filter_map(|event| {
            let place = usize::from(event.processor);
            Some(Event {
                argument: argument(event, thread, mark),
                thread: moved(event.thread, thread),
                processor: number(place).filter(|_| place < guest.vcpus.len())?,
                ..*event
            })
        });
        host.events.extend(events);
    }
    host.events.retain(|event| event.at <= host.end);
    host.events.sort_by_key(|event| event.at);
    host.events = nest(&host.events, &vcpus);
    host
}

/// A guest's thread among those of all, where its first one is `first`.
fn moved(thread: Thread, first: u16) -> Thread {
    match thread {
        Thread::IDLE => Thread::IDLE,
        own => Thread(own.0.saturating_add(first)),
    }
}

/// Returns the argument of a guest's event for this first thread and this first mark of the guest.
fn argument(event: &Event, thread: u16, mark: u32) -> u32 {
    match event.kind {
        kind if kind.is_named() => event.argument + mark,
        Kind::Wake => {
            let waking = Waking::from_argument(event.argument);
            let by = waking.by.map(|by| moved(by, thread));
            Waking { by, ..waking }.to_argument()
        }
        _ => event.argument,
    }
}

/// State of a virtual processor on the way.
#[derive(Clone, Copy)]
struct State {
    vcpu: Vcpu,
    executes: bool,
    /// The thread to which its guest gave it.
    has: Thread,
    /// Where among the events its thread was taken off with it, for the last time.
    taken: Option<usize>,
}

/// The events of hosts and guests, by their time, as one schedule.
fn nest(events: &[Event], vcpus: &[Vcpu]) -> Vec<Event> {
    let state = |vcpu: &Vcpu| State {
        vcpu: *vcpu,
        executes: false,
        has: Thread::IDLE,
        taken: None,
    };
    let mut nested = Nested {
        states: vcpus.iter().map(state).collect(),
        running: BTreeMap::new(),
        events: Vec::with_capacity(events.len()),
    };
    for event in events {
        nested.add(event);
    }
    nested.events
}

struct Nested {
    states: Vec<State>,
    /// Thread that has each processor of the host.
    running: BTreeMap<u8, Thread>,
    events: Vec<Event>,
}

impl Nested {
    fn add(&mut self, event: &Event) {
        if event.kind != Kind::Switch {
            self.events.push(*event);
            return;
        }
        let own = |state: &State| state.vcpu.processor == event.processor;
        match self.states.iter().position(own) {
            Some(place) => self.of_guest(place, event),
            None => self.of_host(event),
        }
    }

    /// A guest gives its virtual processor to another thread.
    fn of_guest(&mut self, place: usize, event: &Event) {
        let state = &mut self.states[place];
        state.has = event.thread;
        if state.executes {
            self.events.push(*event);
            return;
        }
        // A switch of the guest at the very instant at which it is taken off comes first.
        let taken = state.taken.and_then(|taken| self.events.get_mut(taken));
        if let Some(taken) = taken.filter(|taken| taken.at == event.at) {
            let left = Handover::from_argument(event.argument).left;
            taken.argument = left_with(left).to_argument();
        }
    }

    /// A host gives a processor to another virtual one, or to something else.
    fn of_host(&mut self, event: &Event) {
        let before = self.running.insert(event.processor, event.thread);
        if before == Some(event.thread) {
            self.events.push(*event);
            return;
        }
        if let Some(place) = before.and_then(|before| self.place_of(before)) {
            self.take_off(place, event.at);
        }
        self.events.push(*event);
        if let Some(place) = self.place_of(event.thread) {
            self.put_on(place, event.at);
        }
    }

    fn place_of(&self, thread: Thread) -> Option<usize> {
        let mut states = self.states.iter();
        states.position(|state| state.vcpu.thread == thread)
    }

    fn take_off(&mut self, place: usize, at: u64) {
        let state = &mut self.states[place];
        state.executes = false;
        state.taken = None;
        if state.has != Thread::IDLE {
            state.taken = Some(self.events.len());
            let (thread, processor) = (Thread::IDLE, state.vcpu.processor);
            let argument = left_with(Some(Left::Runnable)).to_argument();
            self.events.push(switch(at, thread, processor, argument));
        }
    }

    fn put_on(&mut self, place: usize, at: u64) {
        let state = &mut self.states[place];
        state.executes = true;
        if state.has != Thread::IDLE {
            let argument = left_with(None).to_argument();
            let event = switch(at, state.has, state.vcpu.processor, argument);
            self.events.push(event);
        }
    }
}

const fn left_with(left: Option<Left>) -> Handover {
    Handover {
        left,
        priority: None,
    }
}

const fn switch(at: u64, thread: Thread, processor: u8, argument: u32) -> Event {
    Event {
        at,
        argument,
        thread,
        processor,
        kind: Kind::Switch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TimeUnit;

    #[test]
    fn guests_have_names_threads_and_processors_behind_those_of_their_host() {
        let recording = |threads: &[&str], events: Vec<Event>| Recording {
            threads: threads.iter().map(|name| (*name).to_owned()).collect(),
            marks: vec!["bus".into()],
            processors: vec!["A53".into()],
            events,
            end: 50,
            ..Recording::new(TimeUnit::ClockNanoseconds)
        };
        let host = recording(&["a/vcpu0"], vec![switch(1, VCPU, HOST, 0)]);
        let named = |kind, argument| Event {
            argument,
            kind,
            ..switch(5, Thread(1), 0, 0)
        };
        let by = Waking {
            awaited: None,
            by: Some(Thread(0)),
        };
        let events = vec![
            switch(3, Thread(0), 0, 0),
            named(Kind::Begin, 0),
            named(Kind::Wake, by.to_argument()),
            switch(60, Thread(1), 0, 0),
            // Of a processor that is none of the guest's.
            switch(7, Thread(1), 1, 0),
        ];
        let guest = Guest {
            name: "a".into(),
            recording: recording(&["x", "y"], events),
            vcpus: vec![VCPU],
        };
        let all = with_guests(host, vec![guest]);
        assert_eq!(all.threads, ["a/vcpu0", "a/x", "a/y"]);
        assert_eq!(all.marks, ["bus", "a/bus"]);
        assert_eq!(all.processors, ["A53", "a/vcpu0"]);
        let seen = |event: &Event| (event.at, event.thread.0, event.processor);
        let seen: Vec<_> = all.events.iter().map(seen).collect();
        assert_eq!(seen, [(1, 0, 0), (3, 1, 1), (5, 2, 1), (5, 2, 1)]);
        assert_eq!(all.events[2].argument, 1);
        let waking = Waking::from_argument(all.events[3].argument);
        assert_eq!(waking.by, Some(Thread(1)));
        assert_eq!(Recording::from_bytes(&all.to_bytes()), Ok(all));
    }

    const VCPU: Thread = Thread(0);
    const HOST: u8 = 0;
    const GUEST: u8 = 1;

    fn shown(events: &[(u64, Thread, u8, Option<Left>)]) -> Vec<(u64, Thread, u8, Option<Left>)> {
        let events: Vec<Event> = events
            .iter()
            .map(|(at, thread, processor, left)| {
                switch(*at, *thread, *processor, left_with(*left).to_argument())
            })
            .collect();
        let vcpu = Vcpu {
            thread: VCPU,
            processor: GUEST,
        };
        let shown = |event: &Event| {
            let left = Handover::from_argument(event.argument).left;
            (event.at, event.thread, event.processor, left)
        };
        nest(&events, &[vcpu]).iter().map(shown).collect()
    }

    #[test]
    fn a_thread_goes_and_comes_with_its_virtual_processor() {
        let (a, b, idle) = (Thread(1), Thread(2), Thread::IDLE);
        let (runs, waits) = (Some(Left::Runnable), Some(Left::Waiting));
        let events = [
            (0, VCPU, HOST, None),
            (5, a, GUEST, None),
            (9, idle, HOST, runs),
            // Recorded while nothing executes: it shows when the virtual processor executes again.
            (10, b, GUEST, runs),
            (12, VCPU, HOST, None),
            (15, idle, GUEST, waits),
            (16, idle, HOST, waits),
        ];
        let expected = [
            (0, VCPU, HOST, None),
            (5, a, GUEST, None),
            (9, idle, GUEST, runs),
            (9, idle, HOST, runs),
            (12, VCPU, HOST, None),
            (12, b, GUEST, None),
            (15, idle, GUEST, waits),
            (16, idle, HOST, waits),
        ];
        assert_eq!(shown(&events), expected);
    }

    #[test]
    fn a_vcpu_that_waits_at_the_instant_at_which_it_is_taken_off_waits() {
        let (a, idle) = (Thread(1), Thread::IDLE);
        let waits = Some(Left::Waiting);
        let events = [
            (0, VCPU, HOST, None),
            (0, a, GUEST, None),
            (9, idle, HOST, waits),
            (9, idle, GUEST, waits),
            (20, VCPU, HOST, None),
        ];
        let expected = [
            (0, VCPU, HOST, None),
            (0, a, GUEST, None),
            (9, idle, GUEST, waits),
            (9, idle, HOST, waits),
            (20, VCPU, HOST, None),
        ];
        assert_eq!(shown(&events), expected);
    }
}
