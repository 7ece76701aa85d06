//! Encodings and their classes, and encodings that must have none.

use super::*;

fn class(word: u32) -> Option<Class> {
    classify(word).map(|i| i.class)
}

fn memory(store: bool, bytes: u8, pair: bool) -> Class {
    Class::Memory { store, bytes, pair }
}

#[test]
fn data() {
    let rows: &[(&str, u32, Class)] = &[
        ("adr x0, .", 0x1000_0000, Class::Shift),
        ("mov x0, #5", 0xd280_00a0, Class::Shift),
        ("movk x0, #1, lsl #16", 0xf2a0_0020, Class::Shift),
        ("mov x0, #0x5555555555555555", 0xb200_f3e0, Class::Shift),
        ("mov x0, x1", 0xaa01_03e0, Class::Data),
        ("add x0, x1, x2", 0x8b02_0020, Class::Data),
        ("add sp, sp, #32", 0x9100_83ff, Class::Data),
        ("add x0, x1, w2, uxtw", 0x8b22_4020, Class::Data),
        ("lsl x0, x1, #3", 0xd37d_f020, Class::Shift),
        ("asr w0, w1, #31", 0x131f_7c20, Class::Shift),
        ("ubfx x0, x1, #4, #8", 0xd344_2c20, Class::Data),
        ("bfi x0, x1, #4, #8", 0xb37c_1c20, Class::Data),
        ("extr x0, x1, x2, #7", 0x93c2_1c20, Class::Data),
        ("lsl x0, x1, x2", 0x9ac2_2020, Class::ShiftByRegister),
        ("csel x0, x1, x2, eq", 0x9a82_0020, Class::Data),
        ("ccmp x0, #1, #0, ne", 0xfa41_1800, Class::Data),
        ("adc x0, x1, x2", 0x9a02_0020, Class::Data),
        ("clz x0, x1", 0xdac0_1020, Class::Data),
        ("madd x0, x1, x2, x3", 0x9b02_0c20, Class::Multiply),
        ("umulh x0, x1, x2", 0x9bc2_7c20, Class::Multiply),
        ("udiv x0, x1, x2", 0x9ac2_0820, Class::Divide),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), Some(*expected), "{name}");
    }
}

#[test]
fn loads_and_stores() {
    let exclusive = |store| Class::Exclusive { store };
    let rows: &[(&str, u32, Class)] = &[
        ("ldr x0, [x1, #8]", 0xf940_0420, memory(false, 8, false)),
        (
            "ldr x0, [x1, x2, lsl #3]",
            0xf862_7820,
            memory(false, 8, false),
        ),
        ("ldrb w0, [x1], #1", 0x3840_1420, memory(false, 1, false)),
        ("ldr x0, .", 0x5800_0000, memory(false, 8, false)),
        ("str xzr, [sp]", 0xf900_03ff, memory(true, 8, false)),
        (
            "stp x19, x29, [sp, #-32]!",
            0xa9be_77f3,
            memory(true, 16, true),
        ),
        (
            "ldp x19, x29, [sp], #32",
            0xa8c2_77f3,
            memory(false, 16, true),
        ),
        ("ldp w0, w1, [x2]", 0x2940_0440, memory(false, 8, true)),
        ("ldpsw x0, x1, [x2]", 0x6940_0440, memory(false, 8, true)),
        ("ldar x0, [x1]", 0xc8df_fc20, memory(false, 8, false)),
        ("stlr x0, [x1]", 0xc89f_fc20, memory(true, 8, false)),
        ("ldxr x0, [x1]", 0xc85f_7c20, exclusive(false)),
        ("stlxr w2, x0, [x1]", 0xc802_fc20, exclusive(true)),
        ("ldxp x0, x1, [x2]", 0xc87f_0440, exclusive(false)),
        ("prfm pldl1keep, [x0]", 0xf980_0000, Class::Preload),
        ("ldr q0, [x0]", 0x3dc0_0000, memory(false, 16, false)),
        ("stp q0, q1, [x0, #32]", 0xad01_0400, memory(true, 32, true)),
        ("ldr d0, [x0]", 0xfd40_0000, memory(false, 8, false)),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), Some(*expected), "{name}");
    }
}

#[test]
fn branches_and_system() {
    let rows: &[(&str, u32, Class)] = &[
        ("b .", 0x1400_0000, Class::Branch),
        ("bl .", 0x9400_0000, Class::Branch),
        ("b.eq .", 0x5400_0000, Class::Branch),
        ("cbz x0, .", 0xb400_0000, Class::Branch),
        ("tbnz w0, #0, .", 0x3700_0000, Class::Branch),
        ("br x0", 0xd61f_0000, Class::Branch),
        ("blr x0", 0xd63f_0000, Class::Branch),
        ("ret", 0xd65f_03c0, Class::Branch),
        ("eret", 0xd69f_03e0, Class::ExceptionReturn),
        ("svc #0", 0xd400_0001, Class::Exception),
        ("hvc #0", 0xd400_0002, Class::Exception),
        ("brk #0", 0xd420_0000, Class::Exception),
        ("hlt #0xf000", 0xd45e_0000, Class::Exception),
        ("udf #0", 0x0000_0000, Class::Exception),
        ("nop", 0xd503_201f, Class::Hint),
        ("wfi", 0xd503_207f, Class::Hint),
        ("mrs x0, daif", 0xd53b_4220, Class::ReadSystem),
        ("msr tpidr_el1, x0", 0xd518_d080, Class::WriteSystem),
        ("msr daifset, #2", 0xd503_42df, Class::WriteState),
        ("msr spsel, #1", 0xd500_41bf, Class::WriteState),
        ("dsb sy", 0xd503_3f9f, Class::Barrier),
        ("clrex", 0xd503_3f5f, Class::Barrier),
        ("isb", 0xd503_3fdf, Class::InstructionBarrier),
        ("tlbi vmalle1", 0xd508_871f, Class::Maintain),
        ("ic iallu", 0xd508_751f, Class::Maintain),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), Some(*expected), "{name}");
    }
}

#[test]
fn floating_point() {
    let arithmetic = Class::FloatArithmetic;
    let rows: &[(&str, u32, Class)] = &[
        ("movi v0.2d, #0", 0x6f00_e400, Class::FloatConstant),
        ("fmov d0, x0", 0x9e67_0000, Class::CoreToFloat),
        ("fmov x0, d0", 0x9e66_0000, Class::FloatToCore),
        ("scvtf d0, x0", 0x9e62_0000, Class::ConvertFromCore),
        ("fcvtzs x0, d0", 0x9e78_0000, Class::ConvertToCore),
        ("mov v0.d[1], x0", 0x4e18_1c00, Class::ConvertFromCore),
        ("umov x0, v0.d[1]", 0x4e18_3c00, Class::ConvertToCore),
        ("fmov d0, #1.0", 0x1e6e_1000, Class::FloatConstant),
        ("fcmp d0, d1", 0x1e61_2000, Class::FloatCompare),
        ("fadd d0, d1, d2", 0x1e62_2820, arithmetic(Arithmetic::Add)),
        (
            "fmul s0, s1, s2",
            0x1e22_0820,
            arithmetic(Arithmetic::Multiply),
        ),
        (
            "fmadd d0, d1, d2, d3",
            0x1f42_0c20,
            arithmetic(Arithmetic::Accumulate),
        ),
        (
            "fdiv d0, d1, d2",
            0x1e62_1820,
            arithmetic(Arithmetic::Divide { double: true }),
        ),
        (
            "fsqrt s0, s1",
            0x1e21_c020,
            arithmetic(Arithmetic::SquareRoot { double: false }),
        ),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), Some(*expected), "{name}");
    }
}

fn core(numbers: &[u32]) -> Registers {
    numbers
        .iter()
        .fold(Registers::NONE, |all, n| all.and(Registers::core(*n)))
}

const STACK: Registers = Registers(1 << 31);

#[test]
fn roles_of_registers() {
    let roles = |word| {
        let found = classify(word).unwrap();
        (
            found.address,
            found.early,
            found.plain,
            found.late,
            found.results,
        )
    };
    let none = Registers::NONE;
    let float = Registers::float;
    let rows = [
        (
            "add x0, x1, x2",
            0x8b02_0020,
            (none, none, core(&[1, 2]), none, core(&[0])),
        ),
        (
            "add x0, x1, x2, lsl #3",
            0x8b02_0c20,
            (none, core(&[2]), core(&[1]), none, core(&[0])),
        ),
        (
            "add x0, x1, w2, uxtw",
            0x8b22_4020,
            (none, core(&[2]), core(&[1]), none, core(&[0])),
        ),
        (
            "add sp, sp, #32",
            0x9100_83ff,
            (none, none, STACK, none, STACK),
        ),
        (
            "cmp x0, #1",
            0xf100_041f,
            (none, none, core(&[0]), none, none),
        ),
        (
            "movk x0, #1, lsl #16",
            0xf2a0_0020,
            (none, core(&[0]), none, none, core(&[0])),
        ),
        (
            "bfi x0, x1, #4, #8",
            0xb37c_1c20,
            (none, core(&[0, 1]), none, none, core(&[0])),
        ),
        (
            "madd x0, x1, x2, x3",
            0x9b02_0c20,
            (none, core(&[1, 2]), core(&[3]), none, core(&[0])),
        ),
        (
            "ldr x0, [x1, x2, lsl #3]",
            0xf862_7820,
            (core(&[1, 2]), none, none, none, core(&[0])),
        ),
        (
            "str xzr, [sp]",
            0xf900_03ff,
            (STACK, none, none, none, none),
        ),
        (
            "stlxr w2, x0, [x1]",
            0xc802_fc20,
            (core(&[1]), none, none, core(&[0]), core(&[2])),
        ),
        (
            "cbz x0, .",
            0xb400_0000,
            (none, none, none, core(&[0]), none),
        ),
        (
            "blr x0",
            0xd63f_0000,
            (none, none, none, core(&[0]), core(&[30])),
        ),
        (
            "msr tpidr_el1, x0",
            0xd518_d080,
            (none, core(&[0]), none, none, none),
        ),
        (
            "fmadd d0, d1, d2, d3",
            0x1f42_0c20,
            (none, none, float(1).and(float(2)), float(3), float(0)),
        ),
    ];
    for (name, word, expected) in rows {
        assert_eq!(roles(word), expected, "{name}");
    }
}

#[test]
fn flow_flags_and_write_back() {
    let found = |word| classify(word).unwrap();
    let pop = found(0xa8c2_77f3); // ldp x19, x29, [sp], #32
    assert_eq!((pop.results, pop.write_back), (core(&[19, 29]), STACK));
    assert_eq!(found(0xf940_0420).write_back, Registers::NONE); // ldr x0, [x1, #8]
    assert_eq!(found(0xd69f_03e0).flow, Flow::Return); // eret
    assert_eq!(found(0xd65f_03c0).flow, Flow::Branch); // ret
    assert_eq!(found(0xd400_0001).flow, Flow::Next); // svc: the vector tells
    assert!(found(0xf100_041f).sets_flags && !found(0x9100_83ff).sets_flags); // cmp; add
    assert!(found(0x9a82_0020).reads_flags && found(0x9a02_0020).reads_flags); // csel; adc
    assert!(found(0x5400_0000).reads_flags && found(0xd53b_4200).reads_flags); // b.eq; mrs nzcv
    assert!(found(0xd51b_4200).sets_flags && found(0x1e61_2000).sets_flags); // msr nzcv; fcmp
}

#[test]
fn what_is_not_modelled_has_no_class() {
    let none: &[(&str, u32)] = &[
        ("ldadd x0, x1, [x2] (8.1)", 0xf820_0041),
        ("cas x0, x1, [x2] (8.1)", 0xc8a0_7c41),
        ("ldapr x0, [x1] (8.3)", 0xf8bf_c020),
        ("retaa (8.3)", 0xd65f_0bff),
        ("add v0.4s, v0.4s, v1.4s (Advanced SIMD)", 0x4ea1_8400),
        ("ld1 {v0.16b}, [x0] (Advanced SIMD)", 0x4c40_7000),
        ("and w0, w0, with a mask of 64 bits", 0x1240_0000),
        ("and x0, x0, with all ones", 0x9240_fc00),
        ("ubfm w0, w0, #0, #32", 0x5300_8000),
        ("movz w0, #0, lsl #32", 0x52c0_0000),
        ("of no group", 0x0200_0000),
    ];
    for (name, word) in none {
        assert_eq!(class(*word), None, "{name}");
    }
}
