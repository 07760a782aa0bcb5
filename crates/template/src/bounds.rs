//! What keeps a template from taking all memory: how far its ranges go, how long its text gets, and
//! how much of it can lie inside of something else, since each level takes a piece of the stack.
//!
//! A range is a list of its numbers before anything is rendered, so its ends must be known when the
//! template is read: a number of a document could be anything.

use std::io::{Error, Result, Write};

use crate::template::TemplateError;

/// Numbers of a range at the most.
const MAX_RANGE: i64 = 10_000;

/// Bytes of a rendered text at the most.
pub(crate) const MAX_BYTES: usize = 16 << 20;

/// Tags that may hold others, and other things that may lie inside of each other.
const MAX_LEVELS: usize = 500;

/// Refuses a template that could have so many levels that reading it would take the whole stack.
///
/// What can make a level is counted, not the levels: a text that was cut otherwise than the parser
/// cuts it could hide some.
///
/// # Errors
/// `Parse`.
pub(crate) fn check_levels(template: &str) -> std::result::Result<(), TemplateError> {
    let Some(start) = template
        .find("{%")
        .into_iter()
        .chain(template.find("{{"))
        .min()
    else {
        return Ok(());
    };
    let template = &template[start..];
    let n_tags = template.split("{%").skip(1).filter(|tag| {
        let name = tag.trim_start_matches('-').trim_start();
        !name.starts_with("end")
    });
    let words = template.split(|c: char| !c.is_alphanumeric() && c != '_');
    let n_joins = words.filter(|word| matches!(*word, "and" | "or")).count();
    let n_places = template.bytes().filter(|byte| *byte == b'[').count();
    let most = n_tags.count().max(n_joins).max(n_places);
    if most <= MAX_LEVELS {
        return Ok(());
    }
    Err(TemplateError::Parse(format!(
        "it has {most} tags, conditions or places in brackets, and {MAX_LEVELS} are the most"
    )))
}

/// Refuses a template with a range that goes too far, or whose ends are no numbers.
///
/// # Errors
/// `Parse`, with the range.
pub(crate) fn check_ranges(template: &str) -> std::result::Result<(), TemplateError> {
    for tag in template.split("{%").skip(1) {
        let tag = tag.split_once("%}").map_or(tag, |(tag, _)| tag);
        for (at, dots) in tag.match_indices("..") {
            let start = tag[..at].rfind('(').map(|open| &tag[open + 1..at]);
            let rest = &tag[at + dots.len()..];
            let end = rest.find(')').map(|close| &rest[..close]);
            let (Some(start), Some(end)) = (start, end) else {
                continue;
            };
            if !is_bounded(start, end) {
                return Err(TemplateError::Parse(format!(
                    "the range ({start}..{end}) must go from one whole number to another, over \
                     {MAX_RANGE} numbers at the most"
                )));
            }
        }
    }
    Ok(())
}

fn is_bounded(start: &str, end: &str) -> bool {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let (Some(start), Some(end)) = (number(start), number(end)) else {
        return false;
    };
    end.checked_sub(start)
        .is_some_and(|length| length < MAX_RANGE)
}

/// A text that refuses to get too long.
#[derive(Debug, Default)]
pub(crate) struct BoundedText {
    pub(crate) bytes: Vec<u8>,
    /// Whether more was to be written.
    is_full: bool,
}

impl BoundedText {
    /// Why nothing more was taken; `None` if everything was.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.is_full
            .then(|| format!("the rendered text is longer than {MAX_BYTES} bytes"))
    }
}

impl Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.is_full |= self.bytes.len() + bytes.len() > MAX_BYTES;
        if self.is_full {
            return Err(Error::other("the text is full"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{Globals, Template};

    #[test]
    fn a_range_is_over_so_many_numbers_at_the_most() {
        let parsed = |range: &str| {
            let text = format!("{{% for i in {range} %}}.{{% endfor %}}");
            Template::parse(&text)
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        assert_eq!(parsed("(1..3)"), Ok(()));
        assert_eq!(parsed("(-2 .. 9990)"), Ok(()));
        for range in ["(1..10001)", "(0..99999999999)", "(1..doc.n)", "(doc.a..3)"] {
            let error = parsed(range).expect_err(range);
            assert!(error.contains("must go from one whole number"), "{error}");
        }
        assert_eq!(parsed("doc.list"), Ok(()));
        assert!(Template::parse("dots.. (and more..)").is_ok());
    }

    #[test]
    fn a_template_has_so_many_levels_at_the_most() {
        let nested =
            |open: &str, close: &str, n: usize| format!("{}x{}", open.repeat(n), close.repeat(n));
        let list = |start: &str, item: &str, end: &str, n: usize| {
            format!("{start}{}{end}", item.repeat(n))
        };
        let makers: [&dyn Fn(usize) -> String; 6] = [
            &|n| nested("{% if doc.a %}", "{% endif %}", n),
            &|n| nested("{%- unless doc.a -%}", "{%- endunless -%}", n),
            &|n| nested("{% capture a %}", "{% endcapture %}", n),
            &|n| list("{% if doc.a", " or doc.a", " %}x{% endif %}", n),
            &|n| list("{% if doc.a %}", "{% elsif doc.a %}", "{% endif %}", n),
            &|n| format!("{{{{ doc{}{} }}}}", "[doc.b".repeat(n), "]".repeat(n)),
        ];
        let globals = || Globals::document(&json!({"a": 1, "b": "b"}), std::iter::empty());
        for make in makers {
            let _ = Template::parse(&make(100))
                .expect("a template")
                .render(&globals());
            for n in [501, 100_000] {
                let error = Template::parse(&make(n)).expect_err("refused").to_string();
                assert!(error.contains("500 are the most"), "{error}");
            }
        }
        let prose = "this and that or [more] ".repeat(1000);
        assert!(Template::parse(&format!("{prose}{{{{ doc.a }}}}")).is_ok());
    }

    #[test]
    fn a_text_that_gets_too_long_is_an_error() {
        let text = "x".repeat(1000);
        let template = format!(
            "{{% for a in (1..1000) %}}{{% for b in (1..1000) %}}{text}{{% endfor %}}{{% endfor %}}"
        );
        let globals = Globals::document(&json!({}), std::iter::empty());
        let error = Template::parse(&template)
            .expect("a template")
            .render(&globals)
            .expect_err("too long");
        assert!(error.to_string().contains("longer than"), "{error}");
    }

    #[test]
    fn loops_within_loops_take_so_many_steps_at_the_most() {
        let nested = |inside: &str| {
            let open = "{% for a in (1..9999) %}";
            format!("{}{inside}{}", open.repeat(3), "{% endfor %}".repeat(3))
        };
        let document = json!({"text": "x".repeat(100_000), "list": vec![1; 5000]});
        let globals = Globals::document(&document, std::iter::empty());
        for inside in [
            "",
            "{% if a == 3 %}{% continue %}{% endif %}",
            "{% assign b = doc.text %}",
            "{% if doc.text contains 'y' %}{% endif %}",
            "{% assign b = doc.text | upcase %}",
            "{% capture b %}x{% endcapture %}",
            "{% ifchanged %}{% endifchanged %}",
            "{% cycle 'a', 'b' %}",
            "{% for b in doc.list limit:0 %}{% endfor %}",
            "{% tablerow b in (1..9999) limit:0 %}{% endtablerow %}",
            "{% break %}",
        ] {
            let rendered = Template::parse(&nested(inside))
                .expect("a template")
                .render(&globals);
            let refusal = rendered.map_err(|error| error.to_string());
            let is_ended = inside == "{% break %}" && refusal == Ok(String::new());
            let is_refused = refusal
                .as_ref()
                .is_err_and(|error| error.contains("takes more than 1000000 steps"));
            assert!(is_ended || is_refused, "{inside}: {refusal:?}");
        }
    }

    #[test]
    fn no_text_that_a_template_makes_on_its_way_gets_too_long() {
        let document = json!({"text": "aaaaaaaaaa".repeat(5000), "list": vec![1; 5000]});
        let globals = Globals::document(&document, std::iter::empty());
        let loops = |inside: &str| format!("{{% for i in (1..60) %}}{inside}{{% endfor %}}");
        let templates = [
            format!(
                "{{% assign x = 'xx' %}}{}",
                loops("{% assign x = x | append: x %}")
            ),
            format!(
                "{{% assign x = 'xx' %}}{}",
                loops("{% capture x %}{{ x }}{{ x }}{% endcapture %}")
            ),
            format!(
                "{{% assign x = 'xx' %}}{{{{ x{} }}}}",
                " | replace: 'x', 'xxxxxxxx'".repeat(40)
            ),
            format!(
                "{{% assign x = doc.list %}}{}",
                loops("{% assign x = x | concat: x %}")
            ),
            "{{ doc.text | replace: 'a', doc.text }}".to_owned(),
            "{{ doc.list | join: doc.text }}".to_owned(),
            "{{ 'now' | date: '%4000000000Y' }}".to_owned(),
            "{{ 'now' | date: '%40000000000000000000000000000Y' }}".to_owned(),
            format!(
                "{{% capture x %}}{}{{% endcapture %}}",
                "{{ doc.text }}".repeat(1000)
            ),
        ];
        for template in templates {
            let error = Template::parse(&template)
                .expect("a template")
                .render(&globals)
                .expect_err(&template)
                .to_string();
            let is_named = error.contains("is longer than") || error.contains("steps");
            assert!(is_named, "{template}: {error}");
        }
    }

    #[test]
    fn a_template_over_a_large_document_stays_in_its_bounds() {
        let chapters: Vec<_> = (0..500)
            .map(|n| json!({"title": format!("chapter {n}"), "text": "word ".repeat(1000)}))
            .collect();
        let document = json!({"chapters": chapters, "tags": vec!["a"; 300]});
        let globals = Globals::document(&document, std::iter::empty());
        let template = "{% for c in doc.chapters %}{% if c.text contains 'word' %}\
                        {{ c.title | upcase }}: {{ c.text | truncate: 80 }}{% endif %}\
                        {% for t in doc.tags %}{{ t }}{% endfor %}{% endfor %}";
        let text = Template::parse(template)
            .expect("a template")
            .render(&globals)
            .expect("rendered");
        assert!(text.len() > 100_000);
    }
}
