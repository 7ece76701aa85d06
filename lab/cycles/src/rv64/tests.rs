//! Encodings and their classes, and encodings that must have none.

use super::*;

fn class(word: u32) -> Option<Class> {
    classify(word).map(|i| i.class)
}

#[test]
fn words() {
    let load = |bytes| Class::Load { bytes };
    let rows: &[(&str, u32, Class)] = &[
        ("lui a0, 1", 0x0000_1537, Class::Data),
        ("add a0, a1, a2", 0x00c5_8533, Class::Data),
        ("addiw a0, a1, 1", 0x0015_851b, Class::Data),
        ("srai a0, a1, 40", 0x4285_d513, Class::Data),
        ("sraw a0, a1, a2", 0x40c5_d53b, Class::Data),
        ("mul a0, a1, a2", 0x02c5_8533, Class::Multiply),
        ("mulhu a0, a1, a2", 0x02c5_b533, Class::Multiply),
        (
            "divu a0, a1, a2",
            0x02c5_d533,
            Class::Divide { double: true },
        ),
        (
            "remw a0, a1, a2",
            0x02c5_e53b,
            Class::Divide { double: false },
        ),
        ("ld a0, 8(a1)", 0x0085_b503, load(8)),
        ("lwu a0, 8(a1)", 0x0085_e503, load(4)),
        ("lb a0, 0(a1)", 0x0005_8503, load(1)),
        ("lhu a0, 0(a1)", 0x0005_d503, load(2)),
        ("sd a0, 8(a1)", 0x00a5_b423, Class::Store),
        ("fld f0, 0(a0)", 0x0005_3007, load(8)),
        ("fsd f0, 0(a0)", 0x0005_3027, Class::Store),
        ("jal ra, .", 0x0000_00ef, Class::Branch),
        ("jalr ra, 0(a0)", 0x0005_00e7, Class::Branch),
        ("beq a0, a1, .", 0x00b5_0063, Class::Branch),
        ("csrr a0, sstatus", 0x1000_2573, Class::ReadControl),
        ("csrw sscratch, a0", 0x1405_1073, Class::WriteControl),
        ("csrrw sp, sscratch, sp", 0x1401_1173, Class::WriteControl),
        ("csrsi sstatus, 2", 0x1001_6073, Class::WriteControl),
        ("rdtime a0", 0xc010_2573, Class::ReadControl),
        ("frcsr a0", 0x0030_2573, Class::ReadControl),
        ("fscsr a0", 0x0035_1073, Class::WriteControl),
        ("unimp", 0xc000_1073, Class::Exception),
        ("ecall", 0x0000_0073, Class::Exception),
        ("ebreak", 0x0010_0073, Class::Exception),
        ("sret", 0x1020_0073, Class::TrapReturn),
        ("mret", 0x3020_0073, Class::TrapReturn),
        ("wfi", 0x1050_0073, Class::Wait),
        ("sfence.vma", 0x1200_0073, Class::Refetch),
        ("fence", 0x0ff0_000f, Class::Fence),
        ("fence.i", 0x0000_100f, Class::Refetch),
        ("lr.d a0, (a1)", 0x1005_b52f, Class::LoadReserved),
        ("sc.d a0, a2, (a1)", 0x18c5_b52f, Class::StoreConditional),
        ("amoor.w a0, a2, (a1)", 0x40c5_a52f, Class::Atomic),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), Some(*expected), "{name}");
    }
}

#[test]
fn floating_point() {
    let float = |kind, double| Class::Float { kind, double };
    let rows: &[(&str, u32, Class)] = &[
        ("fmv.d.x f0, a0", 0xf205_0053, Class::FloatMove),
        ("fmv.x.d a0, f0", 0xe200_0553, Class::FloatMove),
        ("feq.d a0, f1, f2", 0xa220_a553, Class::FloatMove),
        ("fcvt.d.l f0, a0", 0xd225_7053, Class::FloatMove),
        (
            "fadd.d f0, f1, f2",
            0x0220_f053,
            float(Arithmetic::Add, true),
        ),
        (
            "fmul.s f0, f1, f2",
            0x1020_f053,
            float(Arithmetic::Multiply, false),
        ),
        (
            "fmadd.d f0, f1, f2, f3",
            0x1a20_f043,
            float(Arithmetic::Multiply, true),
        ),
        (
            "fdiv.d f0, f1, f2",
            0x1a20_f053,
            float(Arithmetic::Divide, true),
        ),
        (
            "fsqrt.s f0, f1",
            0x5800_f053,
            float(Arithmetic::SquareRoot, false),
        ),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), Some(*expected), "{name}");
    }
}

fn integer(numbers: &[u32]) -> Registers {
    numbers
        .iter()
        .fold(Registers::NONE, |all, n| all.and(Registers::integer(*n)))
}

/// Each with its registers: sources, then results.
#[test]
fn halfwords() {
    let (none, float) = (Registers::NONE, Registers::float);
    let load = |bytes| Class::Load { bytes };
    let rows = [
        ("c.nop", 0x0001, Class::Data, none, none),
        (
            "c.addi sp, -32",
            0x1101,
            Class::Data,
            integer(&[2]),
            integer(&[2]),
        ),
        (
            "c.addi16sp sp, -64",
            0x7139,
            Class::Data,
            integer(&[2]),
            integer(&[2]),
        ),
        (
            "c.addi4spn a0, sp, 16",
            0x0808,
            Class::Data,
            integer(&[2]),
            integer(&[10]),
        ),
        ("c.li a0, 1", 0x4505, Class::Data, none, integer(&[10])),
        ("c.lui a0, 1", 0x6505, Class::Data, none, integer(&[10])),
        (
            "c.slli a0, 3",
            0x050e,
            Class::Data,
            integer(&[10]),
            integer(&[10]),
        ),
        (
            "c.srli a0, 3",
            0x810d,
            Class::Data,
            integer(&[10]),
            integer(&[10]),
        ),
        (
            "c.and a0, a1",
            0x8d6d,
            Class::Data,
            integer(&[10, 11]),
            integer(&[10]),
        ),
        (
            "c.subw a0, a1",
            0x9d0d,
            Class::Data,
            integer(&[10, 11]),
            integer(&[10]),
        ),
        (
            "c.mv a0, a1",
            0x852e,
            Class::Data,
            integer(&[11]),
            integer(&[10]),
        ),
        (
            "c.add a0, a1",
            0x952e,
            Class::Data,
            integer(&[10, 11]),
            integer(&[10]),
        ),
        (
            "c.ld a0, 8(a1)",
            0x6588,
            load(8),
            integer(&[11]),
            integer(&[10]),
        ),
        (
            "c.lw a0, 4(a1)",
            0x41c8,
            load(4),
            integer(&[11]),
            integer(&[10]),
        ),
        (
            "c.sd a0, 8(a1)",
            0xe588,
            Class::Store,
            integer(&[10, 11]),
            none,
        ),
        ("c.fld f8, 0(a0)", 0x2100, load(8), integer(&[10]), float(8)),
        (
            "c.fsd f8, 0(a0)",
            0xa100,
            Class::Store,
            integer(&[10]).and(float(8)),
            none,
        ),
        (
            "c.ldsp ra, 16(sp)",
            0x60c2,
            load(8),
            integer(&[2]),
            integer(&[1]),
        ),
        (
            "c.sdsp ra, 16(sp)",
            0xe806,
            Class::Store,
            integer(&[1, 2]),
            none,
        ),
        (
            "c.fldsp f1, 8(sp)",
            0x20a2,
            load(8),
            integer(&[2]),
            float(1),
        ),
        (
            "c.fsdsp f1, 8(sp)",
            0xa406,
            Class::Store,
            integer(&[2]).and(float(1)),
            none,
        ),
        ("c.j .", 0xa001, Class::Branch, none, none),
        ("c.beqz a0, .", 0xc101, Class::Branch, integer(&[10]), none),
        ("c.jr ra", 0x8082, Class::Branch, integer(&[1]), none),
        (
            "c.jalr a0",
            0x9502,
            Class::Branch,
            integer(&[10]),
            integer(&[1]),
        ),
        ("c.ebreak", 0x9002, Class::Exception, none, none),
        ("c.unimp", 0x0000, Class::Exception, none, none),
    ];
    for (name, word, class, sources, results) in rows {
        let found = classify(word).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(
            (found.class, found.sources, found.results),
            (class, sources, results),
            "{name}"
        );
        assert_eq!(size(word as u16), 2, "{name}");
    }
}

#[test]
fn roles_and_flow() {
    let found = |word| classify(word).unwrap();
    let store = found(0x00a5_b423); // sd a0, 8(a1)
    assert_eq!(
        (store.sources, store.results),
        (integer(&[10, 11]), Registers::NONE)
    );
    let swap = found(0x1401_1173); // csrrw sp, sscratch, sp
    assert_eq!((swap.sources, swap.results), (integer(&[2]), integer(&[2])));
    assert_eq!(found(0x1001_6073).sources, Registers::NONE); // csrsi: the field is a constant
    assert_eq!(found(0x0000_00ef).results, integer(&[1])); // jal ra
    assert_eq!(found(0x1020_0073).flow, Flow::Return); // sret
    assert_eq!(found(0x8082).flow, Flow::Branch); // ret
    assert_eq!(found(0x0000_0073).flow, Flow::Next); // ecall: the handler tells
}

#[test]
fn what_is_not_modelled_has_no_class() {
    let none: &[(&str, u32)] = &[
        ("sh1add a0, a1, a2 (Zba)", 0x20c5_a533),
        ("clz a0, a1 (Zbb)", 0x6005_9513),
        ("vsetvli (V)", 0x0105_7557),
        ("slli of a word by 32", 0x0205_951b),
        ("branch of a reserved kind", 0x00b5_2063),
        ("fadd of half precision", 0x0420_f053),
        ("fadd with a reserved rounding", 0x0220_d053),
        ("c.addi4spn of nothing", 0x0004),
        ("c.lwsp to zero", 0x4002),
        ("c.jr zero", 0x8002),
        ("c.mul (Zcb)", 0x9d4d),
    ];
    for (name, word) in none {
        assert_eq!(class(*word), None, "{name}");
    }
}
