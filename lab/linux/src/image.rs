//! Owns: the header of an arm64 kernel (the kernel's Documentation/arch/arm64/booting.rst).
//! Must never know: the source of the kernel, its place in memory.

/// Requirements of the header on the loader of the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageHeader {
    /// Distance of the image's first byte above a boundary of 2 MiB.
    pub text_offset: u64,
    /// How much memory it takes from there on, in bytes: more than the file, since what starts as
    /// zero is not in the file.
    pub memory_bytes: u64,
}

const MAGIC: &[u8] = b"ARM\x64";
const GZIP: &[u8] = &[0x1f, 0x8b];
/// Offset 4 of a compressed kernel that firmware unpacks.
const COMPRESSED: &[u8] = b"zimg";

impl ImageHeader {
    /// Reads the header from the image's first 64 bytes.
    ///
    /// # Errors
    /// In words, when it is another form: compressed, too short, big-endian, or no kernel.
    pub fn read(image: &[u8]) -> Result<Self, String> {
        if image.starts_with(GZIP) {
            return Err("it is compressed by gzip".into());
        }
        if image.get(4..8) == Some(COMPRESSED) {
            return Err("it is a compressed EFI program".into());
        }
        if image.get(56..60) != Some(MAGIC) {
            return Err("the mark at offset 56 is missing".into());
        }
        let word = |at: usize| {
            let bytes = image
                .get(at..at + 8)
                .and_then(|bytes| bytes.try_into().ok());
            bytes.map(u64::from_le_bytes).ok_or("it is cut off")
        };
        let (text_offset, memory_bytes, flags) = (word(8)?, word(16)?, word(24)?);
        if flags & 1 != 0 {
            return Err("it is big-endian".into());
        }
        if memory_bytes < image.len() as u64 {
            return Err("its header gives it less memory than it is long".into());
        }
        Ok(Self {
            text_offset,
            memory_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Vec<u8> {
        let mut image = vec![0; 64];
        image[8..16].copy_from_slice(&0x8_0000_u64.to_le_bytes());
        image[16..24].copy_from_slice(&0x24b_0000_u64.to_le_bytes());
        image[24..32].copy_from_slice(&10_u64.to_le_bytes());
        image[56..60].copy_from_slice(MAGIC);
        image
    }

    #[test]
    fn a_plain_image_is_read() {
        let header = ImageHeader::read(&image()).expect("plain");
        assert_eq!(
            (header.text_offset, header.memory_bytes),
            (0x8_0000, 0x24b_0000)
        );
    }

    #[test]
    fn other_forms_are_named() {
        let refused = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut image = image();
            change(&mut image);
            ImageHeader::read(&image).expect_err("another form")
        };
        assert!(refused(&|image| image[..2].copy_from_slice(GZIP)).contains("gzip"));
        assert!(refused(&|image| image[4..8].copy_from_slice(COMPRESSED)).contains("EFI"));
        assert!(refused(&|image| image[56] = 0).contains("mark"));
        assert!(refused(&|image| image[24] = 11).contains("big-endian"));
        assert!(refused(&|image| image.truncate(20)).contains("mark"));
        assert!(refused(&|image| image.resize(0x24b_0001, 0)).contains("less memory"));
    }
}
