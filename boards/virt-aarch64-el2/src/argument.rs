//! Owns: the word on the command line that the emulator has for an image. An image takes this file
//! as a module.

/// Returns the last word of the command line (semihosting's `SYS_GET_CMDLINE`, Arm ABI for
/// semihosting 2.0, section 5.10), which is read into `line`.
pub fn argument(line: &mut [u8; 64]) -> &[u8] {
    let block = [line.as_mut_ptr() as usize, line.len()];
    // SAFETY: the emulator writes into the line; the block has the line's length.
    unsafe {
        core::arch::asm!("hlt #0xF000", inout("w0") 0x15 => _, in("x1") block.as_ptr(), options(nostack));
    }
    let mut words = line
        .split(|&byte| byte == 0 || byte == b' ')
        .filter(|word| !word.is_empty());
    words.next_back().unwrap_or_default()
}
