//! Owns: RAM with the rules of flash; and an adapter for crates that await, over a flash that
//! returns when it is done. Must never know: the data.

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};
use embedded_storage_async::nor_flash as awaited;

const PAGE: usize = 256;
const PAGES: usize = 4;
/// The bytes of the flash.
pub const SIZE: usize = PAGE * PAGES;
const ERASED: u8 = 0xFF;

/// Four pages of 256 bytes, in words of 4: an erased word is written once.
pub struct RamFlash {
    bytes: [u8; SIZE],
    erased: u32,
}

impl RamFlash {
    /// A flash that has been erased.
    pub const fn new() -> Self {
        Self {
            bytes: [ERASED; SIZE],
            erased: 0,
        }
    }

    /// How many pages have been erased since.
    pub const fn erased(&self) -> u32 {
        self.erased
    }
}

impl ErrorType for RamFlash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for RamFlash {
    const READ_SIZE: usize = 4;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        check_read(self, offset, bytes.len())?;
        let begin = offset as usize;
        bytes.copy_from_slice(&self.bytes[begin..begin + bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        SIZE
    }
}

impl NorFlash for RamFlash {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        check_erase(self, from, to)?;
        self.bytes[from as usize..to as usize].fill(ERASED);
        self.erased += (to - from) / PAGE as u32;
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        check_write(self, offset, bytes.len())?;
        let begin = offset as usize;
        let place = &mut self.bytes[begin..begin + bytes.len()];
        if place.iter().any(|byte| *byte != ERASED) {
            return Err(NorFlashErrorKind::Other);
        }
        place.copy_from_slice(bytes);
        Ok(())
    }
}

/// A flash that never makes its caller wait for another call.
pub struct Blocking<F>(pub F);

impl<F: ErrorType> ErrorType for Blocking<F> {
    type Error = F::Error;
}

impl<F: ReadNorFlash> awaited::ReadNorFlash for Blocking<F> {
    const READ_SIZE: usize = F::READ_SIZE;

    async fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<F: NorFlash> awaited::NorFlash for Blocking<F> {
    const WRITE_SIZE: usize = F::WRITE_SIZE;
    const ERASE_SIZE: usize = F::ERASE_SIZE;

    async fn erase(&mut self, from: u32, to: u32) -> Result<(), Self::Error> {
        self.0.erase(from, to)
    }

    async fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), Self::Error> {
        self.0.write(offset, bytes)
    }
}
