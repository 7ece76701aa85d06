//! Settings that outlive a reset, by the crate sequential-storage over the traits of
//! embedded-storage. A thread of low priority writes them, so that no urgent one waits for an
//! erasure. The flash is RAM with the rules of flash; a program has its chip's in its place.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod flash;

use core::future::Future;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use flash::{Blocking, RamFlash};
use sequential_storage::cache::{Cache, Uncached};
use sequential_storage::map::{MapConfig, MapStorage};
use taktos::board::Board;
use taktos::{Error, MessageQueue, System, Thread, Timeout};

const STACK: usize = 1024 * size_of::<usize>();

static MAIN: Thread<Board, STACK> = Thread::new("main").priority(10);
static WRITER: Thread<Board, STACK> = Thread::new("settings").priority(28);
/// Settings that have changed: the key and the value. Key 0 ends the writer.
static CHANGES: MessageQueue<Board, (u8, u32), 8> = MessageQueue::new();

const BRIGHTNESS: u8 = 1;
const VOLUME: u8 = 2;
const CHANGES_OF_BRIGHTNESS: u32 = 200;

#[taktos::main(MAIN)]
fn first() {
    let status = match change() {
        Ok(()) => 0,
        Err(_) => 1,
    };
    Board::exit(status);
}

fn change() -> Result<(), Error> {
    WRITER.start(write)?;
    CHANGES.send(&(VOLUME, 11), Timeout::FOREVER)?;
    for level in 1..=CHANGES_OF_BRIGHTNESS {
        CHANGES.send(&(BRIGHTNESS, level), Timeout::FOREVER)?;
    }
    CHANGES.send(&(0, 0), Timeout::FOREVER)?;
    WRITER.join(Timeout::FOREVER)
}

/// Writes each change. Then reads as after a reset, when there is only the flash.
fn write() {
    let mut flash = RamFlash::new();
    let mut settings = Settings::of(&mut flash);
    while let Ok((key, value)) = CHANGES.receive(Timeout::FOREVER)
        && key != 0
    {
        if !settings.set(key, value) {
            taktos::println!("setting {key} cannot be written");
        }
    }
    let mut settings = Settings::of(&mut flash);
    let [volume, brightness, other] = [VOLUME, BRIGHTNESS, 3].map(|key| settings.get(key));
    let erased = flash.erased();
    taktos::println!(
        "volume {volume:?}, brightness {brightness:?}, other {other:?}, {erased} erasures"
    );
}

type Flash<'a> = Blocking<&'a mut RamFlash>;

/// Settings by number, in a flash.
struct Settings<'a>(MapStorage<u8, Flash<'a>, Cache<Uncached, Uncached, Uncached, u8>>);

impl<'a> Settings<'a> {
    fn of(flash: &'a mut RamFlash) -> Self {
        let all = const { MapConfig::new(0..flash::SIZE as u32) };
        Self(MapStorage::new(Blocking(flash), all, Cache::new_uncached()))
    }

    /// Returns a setting; none if it was never written, or cannot be read.
    fn get(&mut self, key: u8) -> Option<u32> {
        finished(self.0.fetch_item(&mut [0; 32], &key)).ok()?
    }

    /// Writes a setting. Returns whether that was possible.
    fn set(&mut self, key: u8, value: u32) -> bool {
        finished(self.0.store_item(&mut [0; 32], &key, &value)).is_ok()
    }
}

/// Returns the result of a future that awaits nothing but a [`Blocking`] flash.
fn finished<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("a flash that blocks is always ready"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use embedded_storage::nor_flash::NorFlash;

    #[test]
    fn settings_outlive_a_reset() {
        let outcome = taktos::board::start(&MAIN, first);
        let said = "volume Some(11), brightness Some(200), other None, ";
        assert!(outcome.console.starts_with(said), "{}", outcome.console);
        assert_eq!(outcome.status(), Some(0));
    }

    #[test]
    fn value_that_was_torn_by_a_reset_is_the_one_before() {
        let mut flash = RamFlash::new();
        assert!(Settings::of(&mut flash).set(BRIGHTNESS, 5));
        // The head of a further item alone reached the flash: after two words of the page's state
        // and the item before, of a head of 8 bytes, the key and the value.
        flash
            .write(4 + 8 + 8, &[4, 0, 4, 0])
            .expect("the words are erased");
        assert_eq!(Settings::of(&mut flash).get(BRIGHTNESS), Some(5));
        assert!(Settings::of(&mut flash).set(BRIGHTNESS, 6));
        assert_eq!(Settings::of(&mut flash).get(BRIGHTNESS), Some(6));
    }
}
