//! Owns: the cases of pipes.

use super::case::Tally;
use super::{Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_error};
use core::str;
use taktos_kernel::{Error, Partial, State, Timeout};

/// The bytes of the buffer of the suite's pipe.
pub(super) const BUFFER: usize = 4;

fn failed(error: Error, moved: usize) -> Result<usize, Partial> {
    Err(Partial { error, moved })
}

/// Reads between `at_least` and `at_most` bytes; notes the letter, the result's letter and the
/// bytes.
fn read<S: SuiteBoard>(at_most: usize, at_least: usize, timeout: Timeout, name: char) {
    let o = S::objects();
    let mut buffer = [b'?'; 16];
    let result = o.pipe.read(&mut buffer[..at_most], at_least, timeout);
    o.log.add(name);
    let moved = match result {
        Ok(moved) => moved,
        Err(partial) => {
            log_error::<S>(partial.error);
            partial.moved
        }
    };
    for byte in &buffer[..moved] {
        o.log.add(char::from(*byte));
    }
}

/// Writes; notes the letter and the number of bytes, or the error and that number.
fn write<S: SuiteBoard>(text: &str, at_least: usize, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.pipe.write(text.as_bytes(), at_least, timeout);
    o.log.add(name);
    let moved = match result {
        Ok(moved) => moved,
        Err(partial) => {
            log_error::<S>(partial.error);
            partial.moved
        }
    };
    o.log.digit(moved as u32);
}

fn expect_read<S: SuiteBoard>(c: &mut Case<S>, at_most: usize, at_least: usize, expected: &str) {
    let mut buffer = [0; 16];
    let result = c
        .objects()
        .pipe
        .read(&mut buffer[..at_most], at_least, NONE);
    c.expect("bytes read", result, Ok(expected.len()));
    let moved = result.unwrap_or(0);
    c.expect("bytes", str::from_utf8(&buffer[..moved]), Ok(expected));
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("pipe");
    plain(tally);
    readers(tally);
    writers(tally);
    ends(tally);
}

fn plain<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("calls that do not wait", |c| {
        let pipe = &c.objects().pipe;
        let mut room = [0; 8];
        c.expect(
            "read, empty",
            pipe.read(&mut room, 1, NONE),
            failed(Error::WouldBlock, 0),
        );
        c.expect("read what there is", pipe.read(&mut room, 0, NONE), Ok(0));
        c.expect(
            "read, some time",
            pipe.read(&mut room, 1, UNIT.into()),
            failed(Error::Timeout, 0),
        );
        c.expect(
            "more than fits",
            pipe.read(&mut room, 9, NONE),
            failed(Error::Parameter, 0),
        );
        c.expect("write", pipe.write(b"abc", 3, NONE), Ok(3));
        c.expect("length", pipe.len(), 3);
        c.expect(
            "write more",
            pipe.write(b"de", 2, NONE),
            failed(Error::WouldBlock, 0),
        );
        c.expect("length", pipe.len(), 3);
        c.expect("write what fits", pipe.write(b"de", 0, NONE), Ok(1));
        c.expect(
            "full",
            pipe.write(b"f", 1, NONE),
            failed(Error::WouldBlock, 0),
        );
        c.expect(
            "more than there is",
            pipe.write(b"f", 2, NONE),
            failed(Error::Parameter, 0),
        );
        expect_read(c, 2, 2, "ab");
        expect_read(c, 8, 1, "cd");
        c.expect_true("empty", pipe.is_empty());
        c.expect_error("renewal", pipe.renew(), Error::State);
    });
    tally.case("bytes go round its buffer", |c| {
        for _ in 0..10 {
            c.expect("write", c.objects().pipe.write(b"xyz", 3, NONE), Ok(3));
            expect_read(c, 8, 3, "xyz");
        }
    });
    tally.case("deleted, it refuses", |c| {
        let pipe = &c.objects().pipe;
        c.expect("write", pipe.write(b"ab", 2, NONE), Ok(2));
        c.ok("deletion", pipe.delete());
        c.expect_error("deletion", pipe.delete(), Error::Deleted);
        let mut room = [0; 8];
        c.expect(
            "read",
            pipe.read(&mut room, 1, FOREVER),
            failed(Error::Deleted, 0),
        );
        c.expect(
            "write",
            pipe.write(b"c", 1, FOREVER),
            failed(Error::Deleted, 0),
        );
        c.ok("renewal", pipe.renew());
        c.expect("length", pipe.len(), 0);
    });
}

fn readers<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a reader waits for as many bytes as it needs", |c| {
        c.start(0, HIGH, || read::<S>(6, 5, FOREVER, 'r'));
        c.expect("write", c.objects().pipe.write(b"abc", 3, NONE), Ok(3));
        c.expect_log("");
        c.expect("write", c.objects().pipe.write(b"defg", 4, NONE), Ok(4));
        c.expect_log("rabcdef");
        expect_read(c, 8, 1, "g");
    });
    tally.case(
        "readers are served by priority, equals in their order",
        |c| {
            c.start(0, 9, || read::<S>(2, 2, FOREVER, 'r'));
            c.start(1, 7, || read::<S>(2, 2, FOREVER, 's'));
            c.start(2, 9, || read::<S>(2, 2, FOREVER, 't'));
            c.expect("write", c.objects().pipe.write(b"abcdefgh", 8, NONE), Ok(8));
            c.expect_log("sabrcdtef");
            expect_read(c, 8, 1, "gh");
        },
    );
    tally.case("a handler writes and reads, but does not wait", |c| {
        c.start(0, HIGH, || read::<S>(3, 3, FOREVER, 'r'));
        S::trigger_interrupt(|| {
            write::<S>("abcde", 5, NONE, 'w');
            read::<S>(1, 1, NONE, 'x');
            read::<S>(8, 2, FOREVER, 'y');
        });
        c.expect_log("w5xdyCrabc");
    });
}

fn writers<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a writer waits until as many bytes as it says are written",
        |c| {
            c.start(0, HIGH, || write::<S>("abcdefgh", 8, FOREVER, 'w'));
            c.expect_state(0, State::Blocked);
            c.expect("length", c.objects().pipe.len(), BUFFER);
            expect_read(c, 3, 1, "abc");
            c.expect_log("");
            expect_read(c, 8, 1, "defgh");
            c.expect_log("w8");
        },
    );
    tally.case(
        "a less urgent reader and writer exchange more than the buffer holds",
        |c| {
            c.start(0, LOW, || read::<S>(16, 16, FOREVER, 'r'));
            c.start(1, LOW, || write::<S>("abcdefghijklmnop", 16, FOREVER, 'w'));
            c.let_others_run();
            // Sixteen is the letter g of base 36.
            c.expect_log("wgrabcdefghijklmnop");
        },
    );
    tally.case(
        "writers go on by priority, and their bytes stay together",
        |c| {
            c.expect("write", c.objects().pipe.write(b"1234", 4, NONE), Ok(4));
            c.start(0, 9, || write::<S>("aaa", 3, FOREVER, 'v'));
            c.start(1, 7, || write::<S>("bbb", 3, FOREVER, 'w'));
            expect_read(c, 4, 4, "1234");
            expect_read(c, 8, 6, "bbbaaa");
            c.expect_log("w3v3");
        },
    );
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a reader whose time passes keeps what it has got", |c| {
        c.start(0, HIGH, || read::<S>(6, 5, UNIT.into(), 'r'));
        c.expect("write", c.objects().pipe.write(b"abc", 3, NONE), Ok(3));
        c.let_time_outs_pass();
        c.expect_log("rTabc");
        c.expect("length", c.objects().pipe.len(), 0);
    });
    tally.case("a writer whose time passes has written what it has", |c| {
        c.start(0, HIGH, || write::<S>("abcdefgh", 8, UNIT.into(), 'w'));
        c.let_time_outs_pass();
        c.expect_log("wT4");
        expect_read(c, 8, 4, "abcd");
    });
    tally.case("waits end by request and by deletion", |c| {
        c.start(0, HIGH, || read::<S>(8, 8, FOREVER, 'r'));
        c.start(1, HIGH, || read::<S>(8, 8, FOREVER, 's'));
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect("write", c.objects().pipe.write(b"ab", 2, NONE), Ok(2));
        c.ok("deletion", c.objects().pipe.delete());
        c.expect_log("rXsDab");
    });
}
