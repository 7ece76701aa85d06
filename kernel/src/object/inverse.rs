//! Owns: exact division by a divisor of run time, as a multiplication: T. Granlund, P. Montgomery,
//! "Division by Invariant Integers using Multiplication" (1994), section 9. Must never know: what
//! is divided.

/// The factor that takes the place of a divisor, and the rotation to the right after it, in bits.
#[derive(Clone, Copy)]
pub(crate) struct Inverse {
    factor: usize,
    turn: u32,
}

impl Inverse {
    /// That of a divisor, which is not 0.
    pub(crate) const fn of(divisor: usize) -> Self {
        let turn = divisor.trailing_zeros();
        let odd = divisor >> turn;
        // Right in three bits; each of Newton's steps doubles them.
        let mut factor = odd;
        let mut bits = 3;
        while bits < usize::BITS {
            factor = factor.wrapping_mul(2usize.wrapping_sub(odd.wrapping_mul(factor)));
            bits *= 2;
        }
        Self { factor, turn }
    }

    /// The quotient of `offset`, if there is no remainder; else a number above all quotients.
    #[inline(always)]
    pub(crate) const fn quotient(self, offset: usize) -> usize {
        offset.wrapping_mul(self.factor).rotate_right(self.turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_have_their_quotient_and_all_else_a_larger_one() {
        for divisor in (1..200).chain([1 << 20, 3 << 20, (1 << 20) + 4]) {
            let inverse = Inverse::of(divisor);
            let most = usize::MAX / divisor;
            for quotient in [0, 1, 2, 3, 100, most / 2, most - 1, most] {
                let multiple = quotient.wrapping_mul(divisor);
                assert_eq!(inverse.quotient(multiple), quotient, "by {divisor}");
                for rest in [1, divisor / 2, divisor - 1] {
                    let number = multiple.wrapping_add(rest);
                    let is_multiple = number % divisor == 0;
                    assert_eq!(
                        inverse.quotient(number) <= most,
                        is_multiple,
                        "{number} by {divisor}"
                    );
                }
            }
        }
    }
}
