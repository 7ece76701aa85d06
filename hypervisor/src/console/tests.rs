//! What stands on the screen, and who gets what is typed.

use super::*;
use proptest::prelude::*;
use std::string::String;
use std::vec::Vec;

const NAMES: [&str; 3] = ["linux", "robot", "evil"];

struct Screen {
    console: Multiplexer<8>,
    shown: Vec<u8>,
}

impl Screen {
    /// Three guests; `input` has the input.
    fn new(input: usize) -> Self {
        let mut console = Multiplexer::new();
        for (partition, name) in NAMES.iter().enumerate() {
            let mut bytes = [0; 16];
            bytes[..name.len()].copy_from_slice(name.as_bytes());
            console.attach(partition, bytes);
        }
        let mut shown = Vec::new();
        console.give_input(input, &mut |bytes| shown.extend_from_slice(bytes));
        Self { console, shown }
    }

    fn write(&mut self, partition: usize, text: impl AsRef<[u8]>) {
        for &byte in text.as_ref() {
            self.console.write(partition, byte, &mut |bytes| {
                self.shown.extend_from_slice(bytes)
            });
        }
    }

    fn finish(&mut self, partition: usize) {
        self.console
            .finish(partition, &mut |bytes| self.shown.extend_from_slice(bytes));
    }

    fn say(&mut self, line: &str) {
        self.console.say(line.as_bytes(), &mut |bytes| {
            self.shown.extend_from_slice(bytes)
        });
    }

    fn input(&mut self, bytes: impl AsRef<[u8]>) -> Vec<Input> {
        let shown = &mut self.shown;
        let console = &mut self.console;
        let mut press = |&byte| console.input(byte, &mut |bytes| shown.extend_from_slice(bytes));
        bytes.as_ref().iter().map(&mut press).collect()
    }

    /// What was shown since the last time.
    fn shown(&mut self) -> String {
        String::from_utf8(core::mem::take(&mut self.shown)).unwrap()
    }
}

fn typed(partition: usize, byte: u8) -> Input {
    Input::Typed { partition, byte }
}

#[test]
fn a_prompt_is_seen_at_once_of_who_has_the_input() {
    let mut screen = Screen::new(0);
    screen.write(0, "~ # ");
    assert_eq!(screen.shown(), "[linux] ~ # ");
    screen.write(0, "ls\r\n");
    assert_eq!(screen.shown(), "ls\n");
}

#[test]
fn the_lines_of_others_wait_until_they_are_whole() {
    let mut screen = Screen::new(0);
    screen.write(1, "half a ");
    screen.write(2, "quick\n");
    assert_eq!(screen.shown(), "[evil] quick\n");
    screen.write(1, "line\r\n\n");
    assert_eq!(screen.shown(), "[robot] half a line\n[robot] \n");
}

#[test]
fn an_interrupted_line_begins_anew_with_the_mark() {
    let mut screen = Screen::new(0);
    screen.write(0, "~ # ");
    screen.write(1, "tick\n");
    screen.write(0, "l");
    screen.say("robot stopped: off");
    screen.write(0, "s\n");
    assert_eq!(
        screen.shown(),
        "[linux] ~ # \n[robot] tick\n[linux] l\n[taktos] robot stopped: off\n[linux] s\n"
    );
}

#[test]
fn a_long_line_is_shown_in_parts_that_stay_together_if_nobody_comes_between() {
    let mut screen = Screen::new(0);
    let long = "x".repeat(LINE);
    screen.write(1, &long[1..]);
    assert_eq!(screen.shown(), "");
    screen.write(1, "y");
    assert_eq!(screen.shown(), std::format!("[robot] {}y", &long[1..]));
    screen.write(1, "end\n");
    assert_eq!(screen.shown(), "end\n");
    screen.write(1, &long);
    screen.write(2, "z\n");
    screen.write(1, "end\n");
    assert_eq!(
        screen.shown(),
        std::format!("[robot] {long}\n[evil] z\n[robot] end\n")
    );
}

#[test]
fn a_return_that_ends_no_line_is_kept() {
    let mut screen = Screen::new(0);
    screen.write(0, "10%\r20%\r\r\n");
    assert_eq!(screen.shown(), "[linux] 10%\r20%\r\n");
}

#[test]
fn who_stops_is_shown_to_the_last_byte() {
    let mut screen = Screen::new(0);
    screen.write(1, "no end");
    screen.finish(1);
    screen.finish(1);
    screen.write(0, "~ # ");
    screen.finish(0);
    assert_eq!(screen.shown(), "[robot] no end\n[linux] ~ # \n");
}

#[test]
fn keys_choose_who_gets_the_input() {
    let mut screen = Screen::new(0);
    assert_eq!(screen.input("a"), [typed(0, b'a')]);
    assert_eq!(
        screen.input(b"\x011b"),
        [Input::Taken, Input::Taken, typed(1, b'b')]
    );
    assert_eq!(screen.shown(), "[taktos] input to robot\n");
    // The next with a console; after the last comes the first.
    for next in [2, 0] {
        assert_eq!(screen.input(b"\x01nc")[2], typed(next, b'c'));
    }
    screen.shown();
    assert_eq!(screen.input(b"\x017d")[2], typed(0, b'd'));
    assert_eq!(
        screen.shown(),
        "[taktos] there is no guest 7 with a console\n"
    );
    assert_eq!(screen.input(b"\x01\x01"), [Input::Taken, typed(0, 1)]);
    assert_eq!(
        screen.input(b"\x01zx"),
        [Input::Taken, Input::Taken, typed(0, b'x')]
    );
    assert_eq!(screen.input(b"\x01x"), [Input::Taken, Input::End]);
}

#[test]
fn who_gets_the_input_is_heard_at_once() {
    let mut screen = Screen::new(0);
    screen.write(0, "~ # ");
    screen.write(1, "name? ");
    screen.input(b"\x011");
    assert_eq!(
        screen.shown(),
        "[linux] ~ # \n[taktos] input to robot\n[robot] name? "
    );
    screen.write(0, "quiet");
    assert_eq!(screen.shown(), "");
}

#[test]
fn help_lists_the_guests() {
    let mut screen = Screen::new(1);
    screen.input(b"\x01?");
    let shown = screen.shown();
    assert!(
        shown.lines().all(|line| line.starts_with("[taktos] ")),
        "{shown}"
    );
    assert!(
        shown.contains("] 0 linux\n[taktos] 1 robot (has the input)\n[taktos] 2 evil\n"),
        "{shown}"
    );
}

#[test]
fn nobody_may_have_the_input() {
    let mut screen = Screen::new(usize::MAX);
    screen.write(0, "~ # ");
    assert_eq!(screen.shown(), "");
    assert_eq!(screen.input("a"), [Input::Taken]);
    screen.input(b"\x01n");
    assert_eq!(screen.console.has_input(), Some(0));
    assert_eq!(screen.shown(), "[taktos] input to linux\n[linux] ~ # ");
}

#[test]
fn who_does_not_exist_is_not_heard() {
    let mut screen = Screen::new(0);
    screen.write(8, "no\n");
    screen.finish(8);
    assert_eq!(screen.shown(), "");
}

#[derive(Clone, Debug)]
enum Step {
    Write(usize, Vec<u8>),
    Key(u8),
    Say,
    Finish(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = proptest::collection::vec(
        prop_oneof![8 => Just(b'a'), 4 => Just(b'b'), 1 => Just(b'\n')],
        0..90,
    );
    let step = prop_oneof![
        8 => (0..3usize, text).prop_map(|(who, text)| Step::Write(who, text)),
        1 => prop_oneof![Just(b'n'), Just(b'0'), Just(b'1'), Just(b'2'), Just(b'?'), Just(b'9')].prop_map(Step::Key),
        1 => Just(Step::Say),
        1 => (0..3usize).prop_map(Step::Finish),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    /// Nothing is lost, doubled or under another's name; the lines that a guest ended end.
    #[test]
    fn every_byte_is_shown_once_under_its_name(steps in steps()) {
        let mut screen = Screen::new(0);
        let mut written = [const { String::new() }; 3];
        for step in steps {
            match step {
                Step::Write(who, text) => {
                    screen.write(who, &text);
                    written[who].push_str(core::str::from_utf8(&text).unwrap());
                }
                Step::Key(key) => assert_eq!(screen.input([ESCAPE, key]), [Input::Taken; 2]),
                Step::Say => screen.say("here"),
                Step::Finish(who) => screen.finish(who),
            }
        }
        (0..3).for_each(|who| screen.finish(who));
        let shown = screen.shown();
        prop_assert!(shown.is_empty() || shown.ends_with('\n'));
        for (name, written) in NAMES.iter().zip(written) {
            let mark = std::format!("[{name}] ");
            let lines: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix(&mark)).collect();
            prop_assert_eq!(lines.concat(), written.replace('\n', ""));
            prop_assert!(lines.len() >= written.lines().count());
        }
        let known = |line: &str| line.starts_with("[taktos] ") || NAMES.iter().any(|name| line.starts_with(&std::format!("[{name}] ")));
        prop_assert!(shown.lines().all(known), "{}", shown);
    }

    /// The lines of guests without the input stay whole.
    #[test]
    fn lines_without_the_input_are_not_torn(order in proptest::collection::vec((1..3usize, 1..20usize), 0..80)) {
        let mut screen = Screen::new(0);
        let lines = ["first line of text\n", "second\n"];
        let mut at = [0; 3];
        for (who, bytes) in order {
            let line = lines[who - 1].as_bytes();
            let next: Vec<u8> = (0..bytes).map(|n| line[(at[who] + n) % line.len()]).collect();
            at[who] += bytes;
            screen.write(who, next);
            screen.write(0, "c");
        }
        for line in screen.shown().lines() {
            let whole = ["[robot] first line of text", "[evil] second"].contains(&line);
            prop_assert!(whole || line.starts_with("[linux] c"), "{}", line);
        }
    }
}
