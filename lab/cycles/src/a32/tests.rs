//! Encodings and their classes, and encodings that must have none.

use super::*;

fn class(word: u32) -> Option<Class> {
    classify(word).map(|i| i.class)
}

fn set(registers: &[u32]) -> Registers {
    registers
        .iter()
        .fold(Registers::default(), |all, r| all.and(Registers::one(*r)))
}

#[test]
fn classes() {
    let single = |store| {
        Some(Class::Single {
            store,
            shifted: false,
        })
    };
    let rows: &[(&str, u32, Option<Class>)] = &[
        ("mov r0,r1", 0xe1a0_0001, Some(Class::Move)),
        ("blx to T32", 0xfa00_0002, Some(Class::Branch)),
        ("blx to T32, two bytes on", 0xfb00_0002, Some(Class::Branch)),
        ("movw r0,#1", 0xe300_0001, Some(Class::Move)),
        ("movt r0,#1", 0xe340_0001, Some(Class::Data)),
        ("add r0,r1,r2", 0xe081_0002, Some(Class::Data)),
        ("cmp r0,#0", 0xe350_0000, Some(Class::Data)),
        ("clz r0,r1", 0xe16f_0f11, Some(Class::Data)),
        ("uxtb r0,r1", 0xe6ef_0071, Some(Class::Move)),
        ("uxtab r0,r2,r1", 0xe6e2_0071, Some(Class::Data)),
        ("ubfx r0,r1,#2,#3", 0xe7e2_0151, Some(Class::Data)),
        ("bfi r0,r1,#2,#3", 0xe7c4_0111, Some(Class::Data)),
        ("rev r0,r1", 0xe6bf_0f31, Some(Class::Data)),
        ("rbit r0,r1", 0xe6ff_0f31, Some(Class::Data)),
        ("ssat r0,#8,r1", 0xe6a7_0011, Some(Class::Saturate)),
        ("mul r0,r1,r2", 0xe000_0291, Some(Class::MultiplyWord)),
        ("umull r0,r1,r2,r3", 0xe081_0392, Some(Class::MultiplyLong)),
        ("smulbb r0,r1,r2", 0xe160_0281, Some(Class::MultiplyHalf)),
        ("ldr r0,[r1,#4]", 0xe591_0004, single(false)),
        ("strb r0,[r1,r2]", 0xe7c1_0002, single(true)),
        ("ldrh r0,[r1]", 0xe1d1_00b0, single(false)),
        ("ldr r0,[r1,r2,lsl #2]", 0xe791_0102, single(false)),
        (
            "ldr r0,[r1,r2,lsl #3]",
            0xe791_0182,
            Some(Class::Single {
                store: false,
                shifted: true,
            }),
        ),
        (
            "ldrd r0,r1,[r2]",
            0xe1c2_00d0,
            Some(Class::Double { store: false }),
        ),
        (
            "strd r0,r1,[r2]",
            0xe1c2_00f0,
            Some(Class::Double { store: true }),
        ),
        (
            "push {r4,lr}",
            0xe92d_4010,
            Some(Class::Multiple { store: true }),
        ),
        (
            "ldrex r0,[r1]",
            0xe191_0f9f,
            Some(Class::Exclusive { store: false }),
        ),
        (
            "strex r2,r0,[r1]",
            0xe181_2f90,
            Some(Class::Exclusive { store: true }),
        ),
        ("b .", 0xeaff_fffe, Some(Class::Branch)),
        ("bx lr", 0xe12f_ff1e, Some(Class::Branch)),
        ("mrs r0,cpsr", 0xe10f_0000, Some(Class::Status)),
        ("msr cpsr_c,r0", 0xe121_f000, Some(Class::Status)),
        ("msr cpsr_c,#0x1f", 0xe321_f01f, Some(Class::Status)),
        ("cpsid i", 0xf10c_0080, Some(Class::Status)),
        ("cps #19", 0xf102_0013, Some(Class::Status)),
        ("nop", 0xe320_f000, Some(Class::Hint)),
        ("wfi", 0xe320_f003, Some(Class::Hint)),
        ("svc 0", 0xef00_0000, Some(Class::Exception)),
        (
            "cdp p0, #0, c0, c0, c0",
            0xee00_0000,
            Some(Class::Exception),
        ),
        ("ldc p5, c0, [r4]", 0xed94_0500, Some(Class::Exception)),
        ("udf #0", 0xe7f0_00f0, Some(Class::Exception)),
        (
            "mrc p15,0,r0,c13,c0,4",
            0xee1d_0f90,
            Some(Class::Coprocessor),
        ),
        ("dsb sy", 0xf57f_f04f, Some(Class::Barrier)),
        ("dmb sy", 0xf57f_f05f, Some(Class::Barrier)),
        ("clrex", 0xf57f_f01f, Some(Class::Barrier)),
        ("isb sy", 0xf57f_f06f, Some(Class::InstructionBarrier)),
        ("srsdb sp!,#31", 0xf96d_051f, Some(Class::StoreReturnState)),
        ("rfeia sp!", 0xf8bd_0a00, Some(Class::ReturnFromException)),
        ("pld [r0]", 0xf5d0_f000, Some(Class::Preload)),
        (
            "vpush {d0-d15}",
            0xed2d_0b20,
            Some(Class::FloatMultiple {
                store: true,
                doubles: 16,
            }),
        ),
        (
            "vldr d0,[r0]",
            0xed90_0b00,
            Some(Class::FloatSingle { store: false }),
        ),
        ("vmrs r0,fpscr", 0xeef1_0a10, Some(Class::FloatToCore)),
        ("vmsr fpscr,r0", 0xeee1_0a10, Some(Class::CoreToFloat)),
        (
            "vadd.f32 s0,s0,s1",
            0xee30_0a20,
            Some(Class::FloatArithmetic(Arithmetic::Add)),
        ),
    ];
    for (name, word, expected) in rows {
        assert_eq!(class(*word), *expected, "{name}");
    }
}

#[test]
fn roles_of_registers() {
    let shifted = classify(0xe081_0102).unwrap(); // add r0,r1,r2,lsl #2
    assert_eq!((shifted.plain, shifted.early), (set(&[1]), set(&[2])));
    let carry = classify(0xe0a1_0002).unwrap(); // adc r0,r1,r2
    assert!(carry.reads_flags && !carry.sets_flags);
    let store = classify(0xe48d_0004).unwrap(); // str r0,[sp],#4
    assert_eq!(
        (store.stored, store.early, store.write_back),
        (set(&[0]), set(&[13]), set(&[13]))
    );
    let pop = classify(0xe8bd_8010).unwrap(); // pop {r4,pc}
    assert_eq!((pop.results, pop.flow), (set(&[4, 15]), Flow::Branch));
    let exception = classify(0xe8fd_8010).unwrap(); // ldm sp!,{r4,pc}^
    assert_eq!(exception.flow, Flow::Return);
    assert_eq!(classify(0xe25e_f004).unwrap().flow, Flow::Return); // subs pc,lr,#4
    assert_eq!(classify(0xe1a0_f00e).unwrap().flow, Flow::Branch); // mov pc,lr
    assert_eq!(classify(0xeb00_0000).unwrap().results, set(&[14])); // bl
}

#[test]
fn what_is_not_modelled_has_no_class() {
    let none: &[(&str, u32)] = &[
        ("vadd.i32 d0,d0,d1 (Advanced SIMD)", 0xf220_0801),
        ("sdiv r0,r1,r2 (not on this core)", 0xe710_f211),
        ("ldm of nothing", 0xe891_0000),
        ("cdp p15, #0, c0, c0, c0", 0xee00_0f00),
    ];
    for (name, word) in none {
        assert_eq!(class(*word), None, "{name}");
    }
}
