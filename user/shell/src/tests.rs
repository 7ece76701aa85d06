//! The shell on the host, over a line with the input of the test.

use crate::{Command, PolledLine, Shell};
use core::cell::Cell;
use core::convert::Infallible;
use embedded_io::{ErrorType, Read, ReadExactError, Write};
use std::format;
use std::string::String;
use std::vec::Vec;
use taktos_host::{Board, leak, run};
use taktos_kernel::{AnyThread, Heap, Names, Semaphore, Span, System, Thread, Timeout};

/// A line with its input, and the output so far.
struct Line {
    input: &'static [u8],
    output: Vec<u8>,
}

impl ErrorType for Line {
    type Error = Infallible;
}

impl Read for Line {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, Infallible> {
        self.input.read(bytes)
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        self.output.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Runs a shell over this input, and returns its output.
fn said(shell: &'static Shell<Board>, input: &'static [u8]) -> String {
    let mut line = Line {
        input,
        output: Vec::new(),
    };
    assert_eq!(shell.run(&mut line), Err(ReadExactError::UnexpectedEof));
    String::from_utf8(line.output).unwrap()
}

/// Runs `body` in a world of its own.
fn world(body: impl FnOnce() + 'static) {
    let outcome = run(move || {
        body();
        Board::exit(0)
    });
    assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
}

const PLAIN: Shell<Board> = Shell::new();

#[test]
fn line_is_echoed_and_edited() {
    world(|| {
        static SHELL: Shell<Board> = PLAIN;
        for (typed, echo) in [
            (&b"version\r\n"[..], "version\r\ntaktos 0.1.0\r\n> "),
            (b"version\n", "version\r\ntaktos 0.1.0\r\n> "),
            (b"vex\x7frsion\r", "vex\x08 \x08rsion\r\ntaktos 0.1.0\r\n> "),
            (
                b"\x08\x1b[A\x1b[3~\x1bOversion\r",
                "version\r\ntaktos 0.1.0\r\n> ",
            ),
            (b"nonsense\x15\r", "nonsense\r\n> \r\n> "),
            (b"\x01\xff\r", "\x07\x07\r\n> "),
            (b"  \r", "  \r\n> "),
        ] {
            assert_eq!(said(&SHELL, typed), format!("> {echo}"), "{typed:?}");
        }
    });
}

#[test]
fn line_that_is_too_long_is_cut_with_a_bell() {
    world(|| {
        static SHELL: Shell<Board> = PLAIN;
        let typed = leak([[b'x'; 81].as_slice(), b"\r"].concat());
        let said = said(&SHELL, typed);
        let line = "x".repeat(80);
        assert_eq!(
            said,
            format!(
                "> {line}\x07\r\nerror: there is no command `{line}`\r\nhint: type `help`\r\n> "
            )
        );
    });
}

#[test]
fn help_has_the_commands_that_are_there() {
    world(|| {
        static NAMES: Names<Board, 2> = Names::new();
        static OWN: [Command; 1] = [Command {
            name: "pump",
            help: "starts the pump",
            run: |output, rest| writeln!(output, "on: {rest}"),
        }];
        static SHELL: Shell<Board> = PLAIN.objects(&NAMES).commands(&OWN);
        let names = |said: &str| {
            let lines = said.lines().filter(|line| !line.starts_with('>'));
            lines
                .map(|line| line.split(' ').next().unwrap().into())
                .collect::<Vec<String>>()
        };
        let found = names(&said(&SHELL, b"help\r"));
        let usage = cfg!(feature = "processor-time").then_some("usage");
        let expected = ["help", "version", "threads", "priority"].into_iter();
        let expected: Vec<_> = expected.chain(usage).chain(["objects", "pump"]).collect();
        assert_eq!(found, expected);
        assert!(said(&SHELL, b"heap\r").contains("error: there is no command `heap`\r\n"));
        assert!(said(&SHELL, b"pump  7 8 \r").contains("\r\non: 7 8\r\n"));
    });
}

#[test]
fn priority_of_a_thread_is_set() {
    world(|| {
        static SHELL: Shell<Board> = PLAIN;
        let worker = leak(Thread::<Board, 64>::new("left worker").priority(20));
        worker
            .start(|| {
                let _ = AnyThread::<Board>::sleep(Timeout::FOREVER);
            })
            .unwrap();
        let set = said(&SHELL, b"priority left worker 3\r");
        assert!(
            set.contains("\r\nleft worker      blocked             3 "),
            "{set}"
        );
        assert_eq!(worker.priorities().0.level(), 3);
        for (typed, error) in [
            (
                &b"priority\r"[..],
                "error: a thread and a level are missing",
            ),
            (b"priority pump 3\r", "error: no thread has the name `pump`"),
            (b"priority main 32\r", "error: `32` is no priority"),
            (b"priority main x\r", "error: `x` is no priority"),
            (b"priority idle 3\r", "error: idle keeps its priority: "),
        ] {
            let said = said(&SHELL, typed);
            assert!(said.contains(error), "{said}");
        }
    });
}

#[test]
fn threads_and_objects_are_listed() {
    world(|| {
        let names = leak(Names::<Board, 4>::new());
        let heap = leak(Heap::<Board, 1024>::new());
        let permits = leak(Semaphore::<Board>::new(7));
        names.register("permits", permits).unwrap();
        names.register("count", leak(3u32)).unwrap();
        let shell = leak(PLAIN.objects(names).heap(heap));
        let threads = said(shell, b"threads\r");
        assert!(
            threads.contains("main             executing          16          ? "),
            "{threads}"
        );
        assert!(
            threads.contains("idle             ready              32 "),
            "{threads}"
        );
        let objects = said(shell, b"objects\r");
        let lines = "permits          semaphore    7 permits\r\ncount            object\r\n";
        assert!(objects.contains(lines), "{objects}");
        let free = heap.available();
        assert!(said(shell, b"heap\r").contains(&format!("{free} of 1024 bytes are free\r\n")));
    });
}

#[test]
fn console_that_is_polled_is_a_line() {
    let outcome = run(|| {
        static SHELL: Shell<Board> = PLAIN;
        let shell = leak(Thread::<Board, 64>::new("shell").priority(30));
        shell
            .start(|| {
                let _ = SHELL.run(&mut PolledLine::<Board>::new(read, 20.millis()));
            })
            .unwrap();
        AnyThread::<Board>::sleep(50.millis()).unwrap();
        INPUT.set(b"version\r");
        AnyThread::<Board>::sleep(50.millis()).unwrap();
        Board::exit(0)
    });
    assert_eq!(outcome.console, "> version\r\ntaktos 0.1.0\r\n> ");
}

std::thread_local! {
    static INPUT: Cell<&'static [u8]> = const { Cell::new(b"") };
}

/// Takes what the test has put there.
fn read(bytes: &mut [u8]) -> usize {
    let mut input = INPUT.get();
    let read = input.read(bytes).unwrap_or(0);
    INPUT.set(input);
    read
}

#[cfg(feature = "processor-time")]
#[test]
fn shares_of_the_processor_are_those_of_the_span() {
    use taktos_arch_host::Host;
    world(|| {
        static SHELL: Shell<Board> = PLAIN;
        let busy = leak(Thread::<Board, 64>::new("busy").priority(20));
        let half = || {
            loop {
                Host::spend(5.millis());
                let _ = AnyThread::<Board>::sleep(5.millis());
            }
        };
        busy.start(half).unwrap();
        let usage = said(&SHELL, b"usage 100\r");
        assert!(
            usage.contains("\r\nbusy              50.0 %\r\n"),
            "{usage}"
        );
        assert!(
            usage.contains("\r\nmain               0.0 %\r\n"),
            "{usage}"
        );
        let threads = said(&SHELL, b"threads\r");
        assert!(threads.contains("          50000 us\r\n"), "{threads}");
        for wrong in [
            &b"usage\r"[..],
            b"usage 0\r",
            b"usage 60001\r",
            b"usage x\r",
        ] {
            let said = said(&SHELL, wrong);
            assert!(
                said.contains("is no span\r\nhint: usage MILLISECONDS, 1 to 60000"),
                "{said}"
            );
        }
    });
}
