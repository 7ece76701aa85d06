//! Owns: the parts of the hand-written switches that ports have to the letter: what code of these
//! names, the marks in it, and the forms of the part for a thread with floating-point state.
//! Must never know: an instruction.

/// Assembles, by the macro `$assemble`, code that ends as each switch: it also names words of the
/// threads' contexts and of the processor.
#[doc(hidden)]
#[macro_export]
macro_rules! with_context {
    ([$($assemble:tt)+] $($code:tt)*) => {
        $($assemble)+!(
            $($code)*
            stack_pointer = const $crate::reexports::STACK_POINTER,
            status = const $crate::reexports::STATUS,
            current = const $crate::reexports::CURRENT,
        )
    };
}

/// The lines with which the switch after an entry begins, at the end of a decision: symbols mark
/// this point for the laboratory. They are weak because each file of an image that has this code
/// defines them.
#[doc(hidden)]
#[macro_export]
macro_rules! switch_marks {
    () => {
        ".ifndef \"taktos.mark.switch.begin\"
         .weak \"taktos.mark.schedule.end\"
         .weak \"taktos.mark.switch.begin\"
         \"taktos.mark.schedule.end\":
         \"taktos.mark.switch.begin\":
         .endif"
    };
}

/// Defines the additional part of a switch if the thread that is switched out has floating-point
/// state, `leave_float`, and that for the rest of the present slice, `leave_float_in_slice`. Each
/// has the given lines, which put the unit out of reach and make room, then ends as each switch;
/// `$end` comes after that. Entered like the tail.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! leave_float {
    ([$($line:expr),* $(,)?], [$($end:literal)?], $($operand:tt)*) => {
        $crate::leave_float!(@ leave_float [$($line),*] [crate::switch::begin_slice!(),] [$($end)?]
            switch_slice = sym crate::switch::switch_slice, $($operand)*);
        $crate::leave_float!(@ leave_float_in_slice [$($line),*] [] [$($end)?] $($operand)*);
    };
    (@ $name:ident [$($line:expr),*] [$($slice:tt)*] [$($end:literal)?] $($operand:tt)*) => {
        #[unsafe(naked)]
        pub(crate) extern "C" fn $name() {
            $crate::with_context!([::core::arch::naked_asm]
                $($line,)*
                $($slice)*
                crate::switch::tail!(),
                $($end,)?
                area = const crate::float::AREA,
                resume_float = sym resume_float,
                float_in_use = const ::core::mem::offset_of!(crate::state::State, float_in_use),
                $($operand)*
            )
        }
    };
}

/// Assembles code that gives a thread the floating-point unit of the one processor: it also names
/// the state with the registers' owner.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! with_unit {
    ($($code:tt)*) => {
        ::core::arch::naked_asm!(
            $($code)*
            state = sym crate::state::STATE,
            enable = const crate::float::ENABLE,
            float_in_use = const ::core::mem::offset_of!(crate::state::State, float_in_use),
            float_area = const ::core::mem::offset_of!(crate::state::State, float_area),
        )
    };
}
