//! A session of a board that was made up, from a file to a result: the way of what a board says,
//! and no measurement.

use crate::common::{Folder, refuse, succeed, taktos};

const LINES: &str = "@session version=1 board=made-up counter=dwt-cyccnt hertz=168000000\n\
     @conditions clock=168MHz flash-waits=5\n\
     @rate cycles=840012 ns=5000070\n\
     @loads count=256 cycles=531\n\
     @round caches=off\n\
     @samples mark=empty cycles=9,7x3\n\
     @samples mark=yield cycles=107x2,120\n\
     @round caches=on\n\
     @samples mark=empty cycles=3x4\n\
     @samples mark=yield cycles=53,51,52\n";

/// The session with its end, by the form that the book gives.
fn session(lines: &str) -> String {
    let letters = lines.bytes().filter(|byte| *byte != b'\n');
    let check = letters.fold(0x811c_9dc5_u32, |digest, byte| {
        (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!(
        "{lines}@end lines={} check={check}\n",
        lines.lines().count()
    )
}

#[test]
fn a_recorded_session_becomes_a_result_of_the_class_hardware() {
    let folder = Folder::new("hardware");
    let file = folder.file("session.txt", &format!("booted\n{}", session(LINES)));
    let out = folder.0.join("out");
    let words = format!(
        "bench --recorded {} --out {}",
        file.display(),
        out.display()
    );
    let shown = succeed(&mut taktos(&words));
    for expected in ["hardware", "made-up", "dwt-cyccnt", "yield"] {
        assert!(shown.contains(expected), "{expected} in {shown}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(json["evidence"], "hardware");
    let of = |round: usize| json["rounds"][round]["operations"][0]["cycles"]["median"].clone();
    assert_eq!((of(0), of(1)), (100.into(), 49.into()));
    let manifest = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    for expected in ["\"flash-waits\": \"5\"", "\"hardware\""] {
        assert!(manifest.contains(expected), "{expected} in {manifest}");
    }
    let kept = std::fs::read_to_string(out.join("raw/session.txt")).unwrap();
    assert_eq!(kept, LINES);
}

#[test]
fn what_is_no_measurement_leaves_no_result() {
    let folder = Folder::new("no-hardware");
    let still = session(&LINES.replace("cycles=840012", "cycles=0"));
    for (name, text, cause, hint) in [
        (
            "still.txt",
            still,
            "dwt-cyccnt stands still",
            "taktos bench --board BOARD",
        ),
        (
            "cut.txt",
            LINES.to_owned(),
            "no `@end`",
            "record the board's console again",
        ),
        (
            "empty.txt",
            String::new(),
            "no line `@session`",
            "record the board's console again",
        ),
    ] {
        let file = folder.file(name, &text);
        let out = folder.0.join("out");
        let words = format!(
            "bench --recorded {} --out {}",
            file.display(),
            out.display()
        );
        refuse(&words, cause, hint);
        assert!(!out.exists());
    }
    refuse(
        "bench --board stm32f405 --serial /nowhere/tty",
        "cannot listen to /nowhere/tty",
        "/dev/ttyACM0",
    );
    refuse(
        "bench --suite user --recorded /nowhere",
        "measures the suite kernel",
        "leave out --suite",
    );
}
