//! The check of the pages for users of another system: they call nothing missing that has a page of
//! its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const PAGES: [&str; 3] = ["from-freertos.md", "from-zephyr.md", "from-rtems.md"];

/// The subject of each page of the calls, in words of those systems' calls; none where it is none
/// of them.
const SUBJECTS: [(&str, &[&str]); 25] = [
    ("alarm", &["timer", "watchdog", "schedule"]),
    ("condition", &["condvar", "barrier"]),
    ("device", &["device", "io", "uart"]),
    ("events", &["event", "events", "barrier"]),
    ("faults", &["overflow", "fatal"]),
    ("fifo-lifo-stack", &["fifo", "lifo", "stack"]),
    ("heap", &["heap"]),
    ("interrupts", &["irq", "isr", "interrupt", "critical"]),
    ("kernel", &["scheduler", "uptime"]),
    ("mailbox", &["mbox", "mailbox"]),
    ("messages", &["message"]),
    ("mutex", &["mutex", "semaphore"]),
    ("names", &["ident", "name", "handle"]),
    ("notification", &["notify", "signal"]),
    ("period", &["period", "monotonic", "until"]),
    ("pipe", &["pipe", "stream"]),
    ("poll", &["poll", "set", "select"]),
    ("pool", &["slab", "partition"]),
    ("queue", &["queue", "msgq"]),
    ("remote", &[]),
    ("semaphore", &["sem", "semaphore"]),
    ("several", &["affinity", "core", "cpu"]),
    ("time", &["delay", "sleep", "wake", "clock"]),
    ("watchdog", &["wdt", "watchdog"]),
    ("work", &["work", "pend"]),
];

/// The words of a call's name: `xTimerCreate`, `k_timer_start`, `taskENTER_CRITICAL`.
fn words(cell: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut was_lower = false;
    for letter in cell.chars() {
        if !letter.is_alphanumeric() || (was_lower && letter.is_uppercase()) {
            all.push(String::new());
        }
        was_lower = letter.is_lowercase();
        if let (true, Some(last)) = (letter.is_alphanumeric(), all.last_mut()) {
            last.extend(letter.to_lowercase());
        }
    }
    all
}

/// The rows of a page that say that there is none, each with the page that is about it.
fn wrong(text: &str) -> Vec<(String, &'static str)> {
    let rows = text.lines().filter_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        Some((cells.next()?, cells.next()?))
    });
    let none = rows.filter(|(_, here)| here.starts_with("none"));
    none.flat_map(|(theirs, _)| {
        let words = words(theirs);
        let about = move |(page, subjects): &(&'static str, &[&str])| {
            let is = |word: &String| subjects.contains(&word.as_str());
            words.iter().any(is).then_some((theirs.to_owned(), *page))
        };
        SUBJECTS.iter().filter_map(about).collect::<Vec<_>>()
    })
    .collect()
}

fn docs() -> std::path::PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")).to_owned()
}

#[test]
fn what_has_a_page_is_not_said_to_be_missing() {
    for page in PAGES {
        let text = fs::read_to_string(docs().join(page)).unwrap();
        assert_eq!(wrong(&text), [], "{page}");
    }
    let was = "| `k_timer_start` | none: a thread with `Period` or `sleep` | |\n\
               | `rtems_region_get_segment` | none: there is no heap | |\n\
               | `xTimerCreate` | `Alarm` | none |\n| `taskENTER_CRITICAL` | none: a mutex | |\n";
    let found: BTreeMap<_, _> = wrong(was).into_iter().collect();
    let expected = [
        ("`k_timer_start`", "alarm"),
        ("`taskENTER_CRITICAL`", "interrupts"),
    ];
    assert_eq!(
        found,
        expected.map(|(row, page)| (row.to_owned(), page)).into()
    );
}

#[test]
fn every_page_of_the_calls_has_its_subjects() {
    let mut pages: Vec<String> = fs::read_dir(docs().join("api"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".md").map(str::to_owned))
        // Everything of these systems is about threads.
        .filter(|name| !["README", "threads"].contains(&name.as_str()))
        .collect();
    pages.sort();
    assert_eq!(pages, SUBJECTS.map(|(page, _)| page));
}

#[test]
fn every_error_is_in_the_table() {
    let text = fs::read_to_string(docs().join("api/README.md")).unwrap();
    let code = fs::read_to_string(docs().join("../core/abi/src/error.rs")).unwrap();
    let variants = code.lines().filter_map(|line| {
        let (name, number) = line.trim().strip_suffix(',')?.split_once(" = ")?;
        Some((name, number.parse::<u8>().ok()?))
    });
    let mut all = 0;
    for (name, number) in variants {
        assert!(
            text.contains(&format!("\n| {number} | `{name}` | ")),
            "{name}"
        );
        all += 1;
    }
    assert!(all >= 15, "{all}");
}
