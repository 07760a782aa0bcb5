//! What is read before anything is searched or indexed: filters, payloads, templates.

use std::hint::black_box;

use serde_json::{Value, json};
use serval_filter::parse_json;
use serval_payload::{Format, Input, to_ndjson};
use serval_template::{Field, Globals, Template};

use crate::films::films;
use crate::meter::Meter;

const DOCUMENTS: usize = 1000;
const FILTERS: usize = 100;

/// Counts them.
pub(crate) fn count(meter: &mut Meter) {
    filters(meter);
    payloads(meter);
    templates(meter);
}

fn filters(meter: &mut Meter) {
    let text = json!(
        "(genres = Drama OR genres IN [\"Science Fiction\", 'Film noir', War]) AND year >= 1950 AND \
         NOT (castSize 10 TO 20 OR href IS NULL) AND _geoRadius(48.8, 2.3, 100000) AND title EXISTS"
    );
    let array = json!([
        "year > 1999",
        ["genres = Drama", "genres = War"],
        "NOT decade = \"1990s\""
    ]);
    for (name, filter) in [("filter.parse_text", text), ("filter.parse_arrays", array)] {
        meter.repeat(name, || {
            for _ in 0..FILTERS {
                black_box(parse_json(&filter).expect("a filter"));
            }
        });
    }
}

fn payloads(meter: &mut Meter) {
    let lines = &films()[..DOCUMENTS];
    let csv: String = (0..DOCUMENTS)
        .map(|id| format!("{id},\"a \"\"quoted\"\" title, {id}\",{}.5,true\n", id * 7))
        .collect();
    let array = format!("[{}]", lines.join(" ,\n"));
    let delimiter = b',';
    for (name, text, format) in [
        ("payload.ndjson", lines.join("\n"), Format::Ndjson),
        ("payload.array", array, Format::Json),
        (
            "payload.csv",
            format!("id,title,price:number,sold:boolean\n{csv}"),
            Format::Csv { delimiter },
        ),
    ] {
        meter.repeat(name, || {
            let input = Input::Bytes(text.as_bytes());
            to_ndjson(input, format, &mut std::io::sink()).expect("a payload")
        });
    }
}

fn templates(meter: &mut Meter) {
    let text = "{% for field in fields %}{% if field.is_searchable and field.value != nil %}\
                {{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}{{ doc.title | upcase }}";
    let template = Template::parse(text).expect("a template");
    let films: Vec<Value> = films()[..DOCUMENTS / 10]
        .iter()
        .map(|line| serde_json::from_str(line).expect("a film"))
        .collect();
    let fields = ["title", "overview", "genres", "cast", "year"].map(|name| Field {
        name,
        is_searchable: name != "year",
    });
    meter.repeat("template.render", || {
        for film in &films {
            let globals = Globals::document(film, fields.into_iter());
            black_box(template.render(&globals).expect("a text"));
        }
    });
}
