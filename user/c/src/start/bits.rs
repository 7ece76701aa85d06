//! Owns: functions on the bits of a number, which GNU's compiler calls where a processor has no
//! instruction for them: on the 64-bit boards no library of the compiler's is linked. Must never
//! know: the program.

use core::ffi::c_int;

/// Defines functions by a method of Rust's numbers: the name for a number of 64 bits, and the one
/// for 32.
macro_rules! functions {
    ($($wide:ident, $narrow:ident = $method:ident;)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $wide(number: u64) -> c_int {
                number.$method() as c_int
            }

            #[unsafe(no_mangle)]
            extern "C" fn $narrow(number: u32) -> c_int {
                number.$method() as c_int
            }
        )*
    };
}

functions! {
    taktos_ones_of_64, taktos_ones_of_32 = count_ones;
    taktos_zeros_above_in_64, taktos_zeros_above_in_32 = leading_zeros;
    taktos_zeros_below_in_64, taktos_zeros_below_in_32 = trailing_zeros;
}

/// The bytes in the other order.
#[unsafe(no_mangle)]
extern "C" fn taktos_swapped_64(number: u64) -> u64 {
    number.swap_bytes()
}

/// As for 64 bits.
#[unsafe(no_mangle)]
extern "C" fn taktos_swapped_32(number: u32) -> u32 {
    number.swap_bytes()
}

/// Whether the number of ones is odd.
#[unsafe(no_mangle)]
extern "C" fn taktos_parity_of_64(number: u64) -> c_int {
    (number.count_ones() % 2) as c_int
}

/// The place of the lowest one, counted from 1; 0 where there is none.
#[unsafe(no_mangle)]
extern "C" fn taktos_lowest_one_of_64(number: u64) -> c_int {
    match number {
        0 => 0,
        number => number.trailing_zeros() as c_int + 1,
    }
}

/// As for 64 bits. C's library has it by a name without a prefix.
#[unsafe(no_mangle)]
extern "C" fn taktos_lowest_one_of_32(number: u32) -> c_int {
    taktos_lowest_one_of_64(number.into())
}

names! {
    "__popcountdi2" = "taktos_ones_of_64",
    "__popcountsi2" = "taktos_ones_of_32",
    "__clzdi2" = "taktos_zeros_above_in_64",
    "__clzsi2" = "taktos_zeros_above_in_32",
    "__ctzdi2" = "taktos_zeros_below_in_64",
    "__ctzsi2" = "taktos_zeros_below_in_32",
    "__bswapdi2" = "taktos_swapped_64",
    "__bswapsi2" = "taktos_swapped_32",
    "__paritydi2" = "taktos_parity_of_64",
    "ffs" = "taktos_lowest_one_of_32",
    "__ffsdi2" = "taktos_lowest_one_of_64",
}
