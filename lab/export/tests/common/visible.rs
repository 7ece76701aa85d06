//! Visible parts of a picture: the marks that represent data, as the SVG's elements state, without
//! the code that drew them.
#![allow(dead_code, reason = "each test binary uses a part of it")]

/// A rectangle: left, right, top, bottom.
type Area = (f64, f64, f64, f64);

/// How much rounding may move a coordinate.
const ROUNDING: f64 = 0.11;

/// The value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

fn number(element: &str, name: &str) -> f64 {
    let text = attribute(element, name).unwrap_or_else(|| panic!("no {name}: {element}"));
    text.parse().unwrap()
}

/// Returns where data may be: between the axes of a chart; on a picture without axes, all of it.
fn area(svg: &str) -> Area {
    let is_axis = |line: &&str| line.starts_with("<line ") && line.contains("stroke=\"#888\"");
    let mut area: Option<Area> = None;
    for line in svg.lines().filter(is_axis) {
        let [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(|name| number(line, name));
        // Not the ticks.
        if (x2 - x1).max(y2 - y1) > 50.0 {
            let (left, right, top, bottom) = area.unwrap_or((x1, x2, y1, y2));
            area = Some((left.min(x1), right.max(x2), top.min(y1), bottom.max(y2)));
        }
    }
    area.unwrap_or_else(|| {
        let [width, height] = ["width", "height"].map(|name| number(svg, name));
        (0.0, width, 0.0, height)
    })
}

/// The place of a mark: a bar with a tip, a dot, a line through points.
fn place(element: &str) -> Option<Area> {
    if element.starts_with("<rect ") && element.contains("<title>") {
        let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| number(element, name));
        return Some((x, x + width, y, y + height));
    }
    if element.starts_with("<circle ") {
        let [x, y, r] = ["cx", "cy", "r"].map(|name| number(element, name));
        return Some((x - r, x + r, y - r, y + r));
    }
    let points = element
        .starts_with("<polyline ")
        .then(|| attribute(element, "points"))??;
    let mut place: Option<Area> = None;
    for point in points.split(' ').filter(|point| !point.is_empty()) {
        let (x, y) = point.split_once(',').unwrap();
        let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
        let (left, right, top, bottom) = place.unwrap_or((x, x, y, y));
        place = Some((left.min(x), right.max(x), top.min(y), bottom.max(y)));
    }
    // A line through nothing is no mark.
    place.or(Some((0.0, 0.0, 0.0, 0.0)))
}

/// Returns how many marks can be seen; an error for one that cannot: smaller than a pixel, or
/// outside the area.
pub fn visible(svg: &str) -> Result<usize, String> {
    let (left, right, top, bottom) = area(svg);
    let mut seen = 0;
    for element in svg.lines() {
        let Some((x1, x2, y1, y2)) = place(element) else {
            continue;
        };
        // Next to the area is the legend.
        if x1 > right {
            continue;
        }
        let is_line = element.starts_with("<polyline ");
        let size = match is_line {
            true => (x2 - x1).max(y2 - y1),
            false => (x2 - x1).min(y2 - y1),
        };
        // The middle of a dot is its place.
        let room = ROUNDING
            + if element.starts_with("<circle ") {
                3.0
            } else {
                0.0
            };
        let is_inside =
            x1 >= left - room && x2 <= right + room && y1 >= top - room && y2 <= bottom + room;
        if size < 1.0 - ROUNDING || !is_inside {
            return Err(format!("cannot be seen: {element}"));
        }
        seen += 1;
    }
    Ok(seen)
}

/// Every picture of a page or file: each must show something, and nothing that cannot be seen.
pub fn all_show_something(name: &str, text: &str) {
    for picture in text.split("<svg ").skip(1) {
        let picture = format!(
            "<svg {}",
            picture.split("</svg>").next().unwrap_or_default()
        );
        let title = picture
            .lines()
            .find(|line| line.starts_with("<title>"))
            .unwrap_or("");
        match visible(&picture) {
            Ok(0) => panic!("{name}: {title} shows nothing:\n{picture}"),
            Ok(_) => {}
            Err(what) => panic!("{name}: {title}: {what}"),
        }
    }
}
