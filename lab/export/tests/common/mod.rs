//! Parts that the property tests share: words that try to escape, recordings. `TAKTOS_SEED` repeats
//! a run, `PROPTEST_CASES` sets how many cases it has.
#![allow(dead_code, reason = "each test file uses a part")]

use proptest::prelude::*;
use taktos_export::{Recording, TimeUnit};
use taktos_trace::{Event, Kind, Thread};

/// Any words, and words that mean something to some format.
pub fn words() -> impl Strategy<Value = String> {
    let mean = [
        "",
        "<script>",
        "</td>",
        "&lt;",
        "\"",
        "'",
        "a,b",
        "a\r\nb",
        "]]>",
        "<!--",
        "\0\x0c\x1b[1m",
        "{{ x }}",
        "{% raw %}",
        "=1+1",
        "\u{fffe}",
        "\u{202e}",
        "日本",
        "e\u{301}",
    ];
    prop_oneof![
        prop::sample::select(mean.to_vec()).prop_map(str::to_owned),
        prop::collection::vec(any::<char>(), 0..20).prop_map(String::from_iter),
        "[a-z0-9 ,<>&\"'-]{0,20}",
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(Kind::ALL.to_vec())
}

fn units() -> impl Strategy<Value = TimeUnit> {
    prop::sample::select(vec![
        TimeUnit::Instructions,
        TimeUnit::Cycles,
        TimeUnit::Nanoseconds,
    ])
}

/// Steps of time: small ones, and some that reach the end of it.
fn step() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..1000_u64, 1 => any::<u64>()]
}

/// A recording in the order of its time, with names for all of its events.
pub fn recording() -> impl Strategy<Value = Recording> {
    let names = || prop::collection::vec(words(), 1..5);
    let event = (step(), kind(), any::<u8>(), any::<u8>(), 0..3_u8);
    let events = prop::collection::vec(event, 0..40);
    (units(), names(), names(), events, step()).prop_map(|(unit, threads, marks, raw, rest)| {
        let (mut at, mut events) = (0_u64, Vec::new());
        for (step, kind, thread, mark, processor) in raw {
            at = at.saturating_add(step);
            let thread = match usize::from(thread) % (threads.len() + 1) {
                0 => Thread::IDLE,
                index => Thread(index as u16 - 1),
            };
            let argument = u32::from(mark) % marks.len() as u32;
            events.push(Event {
                at,
                argument,
                thread,
                processor,
                kind,
            });
        }
        let end = at.saturating_add(rest);
        Recording {
            unit,
            end,
            threads,
            marks,
            processors: vec!["cpu".into()],
            events,
        }
    })
}
