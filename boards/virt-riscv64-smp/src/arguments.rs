//! Owns: the words that the emulator hands a program (`-semihosting-config enable=on,target=native,arg=NAME,arg=WORD`).

use core::arch::asm;

/// The most bytes of all words.
const MOST: usize = 2560;

/// Calls `act` with each word behind the program's name; with none where the emulator does not tell them, or where they are
/// more than 2560 bytes. Needs a stack of four kilobytes.
pub fn each_argument(mut act: impl FnMut(&str)) {
    let mut line = [0u8; MOST];
    let length = command_line(&mut line).unwrap_or(0);
    let words = line
        .get(..length)
        .and_then(|line| core::str::from_utf8(line).ok());
    let words = words.unwrap_or("").trim_end_matches('\0');
    words.split(' ').skip(1).for_each(&mut act);
}

/// Reads the command line into `buffer`, and says how long it is; none where the emulator does not tell it, or it does not fit.
/// Semihosting's call for that (RISC-V semihosting, version 0.4, which takes Arm's operations).
pub(crate) fn command_line(buffer: &mut [u8]) -> Option<usize> {
    const GET_COMMAND_LINE: u64 = 0x15;
    let mut block = [buffer.as_mut_ptr().addr(), buffer.len()];
    let failed: u64;
    // SAFETY: the debugger writes into the buffer, and its length into the block.
    unsafe {
        asm!(
            ".option push",
            ".option norvc",
            // The three instructions by which the emulator knows such a call.
            "slli zero, zero, 0x1f",
            "ebreak",
            "srai zero, zero, 7",
            ".option pop",
            inout("a0") GET_COMMAND_LINE => failed,
            in("a1") block.as_mut_ptr(),
            options(nostack),
        );
    }
    (failed == 0).then_some(block[1])
}
