//! Sessions that were made up: they test what reads them, and are no measurement of anything.

use taktos_runner::failure::shown;

use super::*;

/// The lines with an end as a board would say it.
pub(super) fn ended(lines: &str) -> String {
    let ours = || lines.lines().filter(|line| line.starts_with('@'));
    let session = ours().skip_while(|line| !line.starts_with(BEGIN));
    let check = session.clone().fold(FNV_BASIS, digest);
    format!("{lines}@end lines={} check={check}\n", session.count())
}

/// A session of a board of 168 MHz with these lines in the place of its own.
fn with(replaced: &[(&str, &str)]) -> String {
    let mut lines = String::from(
        "@session version=1 board=made-up counter=dwt-cyccnt hertz=168000000\n\
         @conditions clock=168MHz flash-waits=5\n\
         @rate cycles=840012 ns=5000070\n\
         @rate cycles=840007 ns=5000041\n\
         @loads count=256 cycles=531\n\
         @round caches=off\n\
         @samples mark=empty cycles=9,7x3\n\
         @samples mark=yield cycles=107x2,120\n\
         all operations done\n\
         @round caches=on\n\
         @samples mark=empty cycles=3x4\n\
         @samples mark=yield cycles=53,51\n\
         @samples mark=yield cycles=52\n",
    );
    for (from, to) in replaced {
        assert!(lines.contains(from), "{from}");
        lines = lines.replace(from, to);
    }
    ended(&lines)
}

pub(super) fn session() -> String {
    with(&[])
}

#[test]
fn a_session_gives_samples_without_the_empty_pair() {
    let session = read(&format!("old words\r\n{}", session().replace('\n', "\r\n"))).unwrap();
    assert_eq!(session.conditions["flash-waits"], "5");
    let samples = session.samples().unwrap();
    let of = |caches: &str| {
        let wanted = Labels::from([("caches".to_owned(), caches.to_owned())]);
        let groups = samples.grouped(&[], &wanted);
        groups[0]
            .values("yield", Some(Unit::Counter))
            .unwrap()
            .summary()
            .unwrap()
    };
    assert_eq!(
        (of("off").min, of("off").max, of("off").samples),
        (100, 113, 3)
    );
    assert_eq!((of("on").min, of("on").median, of("on").max), (48, 49, 50));
    assert_eq!(samples.marks(), ["yield"]);
}

#[test]
fn the_last_session_counts() {
    let first = session();
    let second = with(&[("board=made-up", "board=again")]);
    assert_eq!(read(&format!("{first}{second}")).unwrap().board, "again");
}

#[test]
fn a_session_has_ended_when_its_last_line_is_whole() {
    let whole = session();
    assert!(has_ended(&whole));
    assert!(!has_ended(whole.trim_end()));
    assert!(!has_ended(&format!(
        "{whole}@session version=1 board=a counter=b hertz=0\n"
    )));
    assert!(!has_ended(""));
}

#[test]
fn what_is_not_whole_is_refused() {
    let whole = session();
    let cut: String = whole
        .lines()
        .take(9)
        .map(|line| format!("{line}\n"))
        .collect();
    let changed = whole.replace("107x2", "106x2");
    let lost: String = whole
        .lines()
        .filter(|line| !line.contains("cycles=52"))
        .map(|line| format!("{line}\n"))
        .collect();
    for (console, cause) in [
        (String::new(), "has no line `@session`"),
        (cut, "8 lines came, and no `@end`"),
        (
            changed,
            "the session is not whole: 12 lines came with the digest",
        ),
        (lost, "the session is not whole: 11 lines came"),
        (
            with(&[("version=1", "version=2")]),
            "whose version is not 1",
        ),
        (
            with(&[(
                "@rate cycles=840012 ns=5000070\n@rate cycles=840007 ns=5000041\n",
                "",
            )]),
            "no line `@rate`",
        ),
        (
            with(&[("@samples mark=empty cycles=3x4\n", "")]),
            "no line `@samples mark=empty`",
        ),
        (
            with(&[("cycles=53,51", "cycles=53,x")]),
            "`x` is no count of cycles",
        ),
        (
            with(&[("107x2", "107x9999999")]),
            "`107x9999999` is no count of cycles",
        ),
        (with(&[("@loads", "@lads")]), "of no kind that is known"),
    ] {
        let error = read(&console).unwrap_err();
        assert!(shown(&error).contains(cause), "{}", shown(&error));
    }
}

#[test]
fn an_emulators_counter_is_refused() {
    for (replaced, why) in [
        (
            &[("clock=168MHz", "machine=qemu")][..],
            "its machine is qemu",
        ),
        (&[("cycles=840012", "cycles=0")], "dwt-cyccnt stands still"),
        (
            &[
                ("cycles=840012 ns=5000070", "cycles=5000070 ns=5000070"),
                ("cycles=840007 ns=5000041", "cycles=5000041 ns=5000040"),
            ],
            "equals the clock",
        ),
        (
            &[("hertz=168000000", "hertz=16000000")],
            "counts 168000047 in a second, and the board's processor has 16000000",
        ),
        (
            &[("count=256 cycles=531", "count=256 cycles=259")],
            "counts instructions: 256 loads",
        ),
    ] {
        let error = read(&with(replaced)).unwrap().samples().unwrap_err();
        assert!(shown(&error).contains(why), "{}", shown(&error));
    }
}

#[test]
fn a_processor_of_one_gigahertz_may_equal_the_clock_if_it_says_so() {
    let fast = [
        ("hertz=168000000", "hertz=1000000000"),
        ("cycles=840012 ns=5000070", "cycles=5000070 ns=5000070"),
        ("cycles=840007 ns=5000041", "cycles=5000049 ns=5000041"),
        ("count=256 cycles=531", "count=256 cycles=790"),
    ];
    assert!(read(&with(&fast)).unwrap().samples().is_ok());
}
