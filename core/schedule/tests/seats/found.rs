//! Cases: stress runs that were found to fail once.

use super::board::THREADS;
use super::mood::Mood;
use super::plans::{LENGTH, MOODS, Plan, WILD, attempt, plans, plans_with_servers, run};
use super::storms::storm;
use std::cell::Cell;
use taktos_schedule::smp::PolicyKind;

/// Processor 1 leaves while thread 4 spins for a mutex of thread 0, which another one displaced:
/// its last dispatch lets the owner lead.
#[test]
fn the_last_dispatch_of_a_processor_that_leaves_lets_owners_lead() {
    use PolicyKind::Priority;
    let plan = [
        (Priority, vec![0]),
        (Priority, vec![1]),
        (Priority, vec![2, 3]),
    ];
    let mood = Mood {
        restless: true,
        ..Mood::new(8, THREADS)
    };
    let words = [
        17_362_577_895_593_334_497,
        6_658_981_230_276_730_130,
        18_245_912_549_955_315_016,
        14_887_401_733_653_932_305,
        17_306_951_922_744_541_889,
        6_470_368_095_655_047_466,
        3_534_556_557_822_130_800,
        3_998_880_035_409_492_063,
        1_222_594_392_618_541_654,
        2_593_988_327_963_352_218,
        7_011_913_108_385_845_201,
        1_427_068_642_226_293_754,
        17_790_797_372_506_458_327,
        3_178_734_989_177_228_172,
        5_227_463_004_337_062_900,
        11_561_347_697_052_486_831,
        17_685_557_246_754_939_016,
        2_630_488_862_170_050,
        8_948_809_722_201_280_286,
    ];
    run(&words, &plan, mood);
}

/// Processor 2 leaves while seats are lent, with the registers of thread 4, which another one has
/// displaced: that goes after its equals, as where no seats are lent.
#[test]
fn a_displaced_thread_comes_in_again_when_its_processor_leaves_while_seats_are_lent() {
    let plan = [(PolicyKind::StrongAffinity, vec![0, 1, 2, 3])];
    let mood = Mood {
        restless: true,
        throttles: true,
        ..Mood::new(8, THREADS)
    };
    let words = [
        12_653_969_857_747_030_273,
        17_211_445_295_182_117_629,
        10_508_963_072_815_860_705,
        7_201_318_667_042_039_791,
        1_496_360_788_388_272_154,
        17_052_608_711_719_620_480,
        7_791_407_827_420_638_238,
        4_649_193_904_891_739_732,
        3_085_051_987_678_014_993,
        4_911_628_527_136_207_430,
        5_273_736_308_029_429_022,
        17_156_260_597_206_497_977,
        704_384_987_853_628_201,
        8_764_825_182_090_763_950,
        13_273_729_534_056_264_422,
        17_980_145_042_628_935_564,
        2_419_694_607_228_284_420,
        17_842_620_506_662_391_703,
        8_321_380_716_177_207_349,
        15_045_360_751_276_033_128,
        11_031_189_487_250_576_669,
        17_193_308_046_563_620_756,
        15_286_984_258_797_208_866,
        15_576_213_086_981_510_763,
        17_312_964_279_583_540_717,
        1_643_792_746_074_002_731,
        6_964_367_831_545_852_013,
        17_107_162_906_141_776_945,
        2_271_327_144_882_197_936,
        10_457_245_060_902_559_276,
    ];
    run(&words, &plan, mood);
}

/// A thread with its registers on a processor that leaves may not move while seats are lent: it
/// keeps its place in line, and does not come in again behind its equals.
#[test]
fn a_thread_that_may_not_move_stays_in_line_when_its_processor_leaves() {
    let plan = [(PolicyKind::PriorityAffinity, vec![0, 1, 2, 3])];
    let words = [
        12_039_093_599_240_378_258,
        5_518_706_238_406_582_515,
        8_405_742_206_727_609_472,
        1_165_569_114_880_094_704,
        6_346_865_036_386_010_815,
        18_016_291_852_979_541_844,
        1_610_669_048_313_244_866,
        1_369_921_194_435_703_181,
        8_278_321_910_136_168_456,
        5_980_680_686_461_196_674,
        11_679_155_254_952_457_380,
        4_740_984_192_707_688_917,
        1_831_268_314_287_307_835,
        9_256_542_362_656_070_651,
        3_822_970_546_118_045_343,
        4_150_986_190_115_660_942,
        2_576_809_838_459_744_262,
        4_885_559_732_008_773_273,
        8_008_879_810_657_994_981,
        18_411_153_943_081_927_901,
        11_929_997_716_475_310_635,
        5_449_708_357_039_253_596,
        2_149_998_206_837_133_067,
        13_388_723_031_047_954_793,
    ];
    run(&words, &plan, Mood::new(8, 6));
}

/// A stress run that was found to fail once, of each of `plans`.
fn storm_again(plans: &[Vec<Plan>], mood: Mood, seed: u64) {
    for plan in plans {
        let run = |words: &[u64]| attempt(words, plan, mood).map(drop);
        storm(run, seed, LENGTH);
    }
}

/// A stress run of `plan` that ends where a thread goes to another one of two idle processors.
fn parts_once(plan: &[Plan], mood: Mood, seed: u64) {
    let parted = Cell::new(0);
    let run = |words: &[u64]| {
        parted.set(attempt(words, plan, mood)?.parted);
        Ok(())
    };
    storm(run, seed, LENGTH);
    assert_eq!(parted.get(), usize::from(!cfg!(miri)));
}

/// A thread comes home that runs in the place of another on the very processor that it had at home
/// last: that has gone to the other instance since.
#[test]
fn a_thread_that_comes_home_from_a_processor_that_has_left_sits_where_there_is_a_seat() {
    let mood = Mood {
        restless: true,
        ..Mood::new(8, THREADS)
    };
    storm_again(&plans(), mood, 16_865_872_728_094_298_881);
}

/// A pin is taken back where an owner with a seat is watched.
#[test]
fn a_pin_ends_where_an_owner_is_watched() {
    let mood = Mood {
        inherits: true,
        ..Mood::new(60, THREADS)
    };
    storm_again(&plans(), mood, 3_594_804_512_450_617_196);
}

#[test]
fn a_thread_that_lost_a_processor_with_a_budget_used_up_is_looked_at_in_the_tables_order() {
    for seed in [8_544_300_611_901_779_369, 7_770_664_030_643_328_705] {
        for mood in MOODS {
            storm_again(&plans_with_servers(), mood, seed);
        }
    }
}

/// One alarm throttles two threads, one of which a processor was about to run: that idles on, with
/// another idle thread by the tables. The threads that are released next go to either of two idle
/// processors, and nothing else ends this run.
#[test]
fn a_thread_goes_to_either_of_two_idle_processors_where_one_idles_on_by_an_alarm() {
    let plan = [(PolicyKind::Cbs, vec![0]), (PolicyKind::Cbs, vec![1, 2])];
    let mood = Mood {
        throttles: true,
        ..Mood::new(60, 6)
    };
    parts_once(&plan, mood, 16_660_494_537_393_503_696);
}

/// As above, but another budget is checked in the same instant. Before that, a processor that shall
/// idle reads which thread runs there: the one that went to the other processor by the tables.
#[test]
fn a_thread_goes_to_either_of_two_idle_processors_that_look_in_the_same_instant() {
    let plan = [
        (PolicyKind::Edf, vec![0]),
        (PolicyKind::Cbs, vec![1, 2, 3, 4, 5]),
    ];
    let seed = 1_306_492_984_476_225_970;
    parts_once(&plan, MOODS[1].of(seed), seed);
}

/// Thread 10 runs on the seat of thread 3, for which it owned a lock until then, and is moved to
/// its home. By the tables it continues there. If seats decide, the processor lets go of it first,
/// and has thread 3, which is lent a seat elsewhere then: it waits for its registers.
#[test]
fn a_guest_that_comes_to_be_at_home_where_it_runs_is_loaded_anew() {
    let words = [
        12_961_775_501_936_310_985,
        11_976_529_310_700_842_085,
        10_735_949_456_843_600_818,
        10_677_161_828_565_743_687,
        540_298_554_505_423_883,
        10_801_023_628_353_005_723,
        9_140_749_477_746_976_821,
        17_884_797_296_618_033_359,
        18_432_841_767_574_267_595,
        12_224_182_916_900_440_881,
        13_716_588_263_693_539_361,
        7_791_400_105_248_455_529,
        16_368_323_532_880_374_659,
        303_130_395_680_806_253,
        9_702_700_936_673_837_788,
        5_183_379_076_278_224_377,
        13_663_144_930_130_152_048,
        16_019_109_597_838_967_568,
        16_100_734_785_267_707_255,
        3_438_823_344_115_233_023,
        10_618_588_828_278_452_566,
    ];
    let plan = [
        (PolicyKind::Priority, vec![0]),
        (PolicyKind::Priority, vec![1]),
        (PolicyKind::Priority, vec![2, 3]),
    ];
    let count = attempt(&words, &plan, WILD).unwrap();
    assert_eq!(count.lent, 1);
}

/// A processor leaves in the instant in which a budget is used up there, before its alarm.
#[test]
fn servers_on_four_processors_are_as_the_oracle_has_them() {
    let plan = [(PolicyKind::Cbs, vec![0, 1, 2, 3])];
    let run = |words: &[u64]| attempt(words, &plan, MOODS[1]).map(drop);
    storm(run, 17_661_034_694_876_950_310, LENGTH);
}

/// A thread that owns a lock for which another one waits elsewhere waits for one without a
/// protocol: it is in the queues of both instances.
#[test]
fn an_owner_that_another_waits_for_waits_in_both_instances() {
    let plan = [
        (PolicyKind::Priority, vec![0, 1]),
        (PolicyKind::Priority, vec![2, 3]),
    ];
    let mood = Mood {
        sections: true,
        ..Mood::new(8, THREADS)
    };
    let run = |words: &[u64]| attempt(words, &plan, mood).map(drop);
    for seed in [7_259_620_196_837_275_887, 9_164_078_364_310_413_353] {
        storm(run, seed, LENGTH);
    }
}
