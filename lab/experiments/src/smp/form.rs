//! The figures for programs. The shape is fixed; times are in microseconds.

use serde_json::{Value, json};

use super::case::Layout;
use super::figures::{Figures, TaskFigures, Times};
use super::samples::Run;
use crate::experiment::Scale;
use crate::form::of_several;

fn of_run(figures: &Figures) -> Value {
    let task = |task: &TaskFigures| (task.name.clone(), of_task(task));
    let tasks: Value = figures.tasks.iter().map(task).collect();
    let overhead = figures.overhead() as f64 / 1_000_000.0;
    json!({ "tasks": tasks, "overhead_share": overhead })
}

fn of_task(task: &TaskFigures) -> Value {
    json!({
        "jobs": task.jobs,
        "missed": task.missed,
        "cpu_us": task.cpu.map(micros),
        "wall_us": task.wall.map(micros),
    })
}

fn micros(Times { min, mean, max }: Times) -> Value {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    json!({ "min": micros(min), "mean": micros(mean), "max": micros(max) })
}

/// The name under which a run stands: the policy; where its processors are in
/// several instances, the layout behind it.
fn name(run: &Run) -> String {
    match run.case.layout {
        Layout::One | Layout::Global => run.case.policy.name().to_owned(),
        layout => format!("{}-{}", run.case.policy, layout.name()),
    }
}

/// The runs, by policy and number of processors.
pub fn json(platform: &str, scale: Option<Scale>, runs: &[&Run]) -> String {
    let mut policies = json!({});
    for run in runs {
        let processors = run.case.layout.processors().to_string();
        policies[name(run)][processors] = of_run(&run.figures);
    }
    of_several(platform, scale, json!({ "policies": policies }))
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::run;
    use super::*;
    use taktos_simulate::Policy;

    #[test]
    fn the_shape_is_as_promised() {
        let runs = [
            run(Policy::Edf, Layout::One, 100, 2000),
            run(Policy::Edf, Layout::Global, 100, 1500),
            run(Policy::Edf, Layout::Partitioned, 100, 1500),
        ];
        let text = json("virt-aarch64-smp", Some(Scale::Full), &runs.each_ref());
        let data: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(data["platform"], "virt-aarch64-smp");
        assert_eq!(data["evidence"], "emulated");
        assert_eq!(data["form"], "full");
        let policies = data["policies"].as_object().unwrap();
        assert_eq!(
            policies.keys().collect::<Vec<_>>(),
            ["edf", "edf-partitioned"]
        );
        let four = &data["policies"]["edf"]["4"];
        assert_eq!(four["overhead_share"], 0.000_999);
        let first = &four["tasks"]["T1"];
        assert_eq!(
            (first["jobs"].as_u64(), first["missed"].as_u64()),
            (Some(20), Some(1))
        );
        assert_eq!(first["wall_us"]["max"], 90_000.005);
        assert_eq!(first["cpu_us"]["min"], 60_000.0);
        assert_eq!(
            data["policies"]["edf"]["1"]["tasks"]["T1"]["wall_us"]["mean"],
            120_000.0
        );
        assert!(data["policies"]["edf-partitioned"]["4"]["tasks"]["T7"].is_object());
    }
}
