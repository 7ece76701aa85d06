//! Tests of the text on the screen, and of the guest that gets the typed bytes.

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

    /// Returns the output shown since the last time.
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
fn a_return_that_ends_no_line_is_shown_and_writes_over_nothing() {
    let mut screen = Screen::new(0);
    screen.write(0, "10%\r20%\r\r\n");
    assert_eq!(screen.shown(), "[linux] 10%^M20%^M\n");
}

#[test]
fn nothing_that_a_guest_writes_commands_the_terminal_others_share() {
    let cases: [(&[u8], &str); 16] = [
        (
            b"x\r[taktos] robot stopped: off",
            r"x^M[taktos\x5d robot stopped: off",
        ),
        (b"\x1b]0;title\x07\x1b[2K\x1b[1A", "^[]0;title^G^[[2K^[[1A"),
        (b"\x00\x08\x0b\x0c\x0e\x1f\x7f\t.", "^@^H^K^L^N^_^?\t."),
        // C1 controls, as lone bytes and as UTF-8; lone and broken pieces of letters.
        (b"\x9b2K \x85", r"\x9b2K \x85"),
        ("\u{9b}2K \u{80}".as_bytes(), r"\xc2\x9b2K \xc2\x80"),
        (
            b"\xc3 \xe2\x82\x1b \xff\xf8\xc0\x9b",
            r"\xc3 \xe2\x82^[ \xff\xf8\xc0\x9b",
        ),
        (b"ends \xe2\x82", r"ends \xe2\x82"),
        // Longer than they have to be, halves of pairs, beyond the last.
        (
            b"\xe0\x82\x9b\xf0\x80\x82\x9b",
            r"\xe0\x82\x9b\xf0\x80\x82\x9b",
        ),
        (
            b"\xed\xa0\x80\xf4\x90\x80\x80",
            r"\xed\xa0\x80\xf4\x90\x80\x80",
        ),
        // Characters that turn text around, and line breaks that are none.
        (
            "a\u{202e}b\u{2066}c\u{2028}".as_bytes(),
            r"a\xe2\x80\xaeb\xe2\x81\xa6c\xe2\x80\xa8",
        ),
        // The others that turn or join text, and marks that are not visible.
        (
            "\u{61c}\u{200b}\u{200f}\u{2029}\u{202a}".as_bytes(),
            r"\xd8\x9c\xe2\x80\x8b\xe2\x80\x8f\xe2\x80\xa9\xe2\x80\xaa",
        ),
        (
            "\u{2060}\u{206f}\u{feff}\u{e0001}\u{e0fff}".as_bytes(),
            r"\xe2\x81\xa0\xe2\x81\xaf\xef\xbb\xbf\xf3\xa0\x80\x81\xf3\xa0\xbf\xbf",
        ),
        // Letters stay.
        (
            "Gr\u{fc}\u{df}e \u{20ac} \u{1f980} \u{2018}x\u{2019}".as_bytes(),
            "Gr\u{fc}\u{df}e \u{20ac} \u{1f980} \u{2018}x\u{2019}",
        ),
        (
            b"[taktos] [ 0.1] [[taktos] [takt",
            r"[taktos\x5d [ 0.1] [[taktos\x5d [takt",
        ),
        (
            b"taktos] [taktos ] [linux] []",
            "taktos] [taktos ] [linux] []",
        ),
        // Where a terminal breaks a line, a mark would stand at its beginning.
        (b"          [taktos]", r"          [taktos\x5d"),
    ];
    for who in [0, 1] {
        for (written, seen) in cases {
            let mut screen = Screen::new(0);
            screen.write(who, written);
            screen.write(who, "\n");
            assert_eq!(screen.shown(), std::format!("[{}] {seen}\n", NAMES[who]));
        }
    }
}

#[test]
fn a_letter_that_is_not_whole_is_seen_at_the_end() {
    let mut screen = Screen::new(0);
    screen.write(0, b"a\xe2\x82");
    screen.say("robot stopped: off");
    screen.write(0, b"\xac\xc3");
    screen.finish(0);
    assert_eq!(
        screen.shown(),
        "[linux] a\n[taktos] robot stopped: off\n[linux] \u{20ac}\\xc3\n"
    );
}

#[test]
fn a_guest_that_has_the_console_alone_may_command_the_terminal() {
    let mut console: Multiplexer<8> = Multiplexer::new();
    let mut name = [0; 16];
    name[..5].copy_from_slice(b"linux");
    console.attach(3, name);
    let mut shown = Vec::new();
    let written = b"\x1b[2J\x9b\r\xc3~ # ";
    for &byte in written {
        console.write(3, byte, &mut |bytes| shown.extend_from_slice(bytes));
    }
    console.finish(3, &mut |bytes| shown.extend_from_slice(bytes));
    assert_eq!(shown, [b"[linux] ", &written[..], b"\n"].concat());
}

proptest! {
    /// Whatever two guests write, the screen sees text, tabs and the ends of lines.
    #[test]
    fn any_bytes_become_text(pieces in proptest::collection::vec((0..2usize, proptest::collection::vec(any::<u8>(), 0..40)), 0..40)) {
        let mut screen = Screen::new(0);
        for (who, piece) in pieces {
            screen.write(who, piece);
        }
        (0..2).for_each(|who| screen.finish(who));
        let shown = String::from_utf8_lossy(&screen.shown).into_owned();
        prop_assert!(shown.chars().all(|letter| !letter.is_control() || matches!(letter, '\t' | '\n')), "{:?}", shown);
        prop_assert!(!shown.contains("[taktos]"));
        for line in shown.lines() {
            prop_assert!(line.starts_with("[linux] ") || line.starts_with("[robot] "), "{:?}", line);
        }
    }
}

std::thread_local! {
    /// The line: for how many bytes it has room, and what it has sent.
    static LINE_OUT: core::cell::RefCell<(usize, Vec<u8>)> = const { core::cell::RefCell::new((0, Vec::new())) };
}

fn send(bytes: &[u8]) -> usize {
    LINE_OUT.with_borrow_mut(|(room, sent)| {
        let count = bytes.len().min(*room);
        sent.extend_from_slice(&bytes[..count]);
        *room -= count;
        count
    })
}

fn give_room(bytes: usize) {
    LINE_OUT.with_borrow_mut(|line| line.0 = bytes);
}

fn sent() -> String {
    LINE_OUT.with_borrow_mut(|line| String::from_utf8(core::mem::take(&mut line.1)).unwrap())
}

#[test]
fn what_the_line_has_no_room_for_waits_in_order() {
    let mut output = Output::new();
    give_room(7);
    output.put(b"first ", 0, send);
    output.put(b"second ", 0, send);
    output.put(b"third", 0, send);
    assert_eq!(sent(), "first s");
    let mut all = String::new();
    while !output.is_empty() {
        give_room(3);
        output.drain(send);
        let part = sent();
        assert!((1..=3).contains(&part.len()));
        all.push_str(&part);
    }
    assert_eq!(all, "econd third");
    assert!(!output.has_lost());
}

#[test]
fn what_does_not_fit_in_is_left_out_whole_and_told_of() {
    let mut output = Output::new();
    give_room(0);
    let piece = [b'x'; 100];
    let taken = (0..100).take_while(|_| {
        output.put(&piece, 1000, send);
        !output.has_lost()
    });
    assert_eq!(taken.count(), (WAITING - 1000) / 100);
    // After a loss nothing, until a writer begins again and there is space; no space is lost to it.
    output.put(b"y", 0, send);
    output.begin(1000, send);
    output.put(b"z", 0, send);
    assert!(output.has_lost());
    give_room(WAITING);
    output.drain(send);
    assert_eq!(sent(), "x".repeat((WAITING - 1000) / 100 * 100));
    output.begin(1000, send);
    output.put(b"again", 1000, send);
    assert_eq!(
        sent(),
        "\n[taktos] lost on the way to the console, in bytes: 102\nagain"
    );
}

#[test]
fn a_guest_that_continues_after_a_loss_begins_with_its_mark() {
    let mut screen = Screen::new(0);
    screen.write(0, "begun");
    screen.console.break_off();
    screen.shown();
    screen.write(0, "[robot] all is well\n");
    assert_eq!(screen.shown(), "[linux] [robot] all is well\n");
}

#[test]
fn a_guest_that_stops_is_shown_to_the_last_byte() {
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
fn a_guest_that_gets_the_input_is_heard_at_once() {
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
fn a_guest_that_does_not_exist_is_not_heard() {
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
