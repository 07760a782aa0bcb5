//! What keeps a template from taking all memory: how far its ranges go, and how long its text gets.
//!
//! A range is a list of its numbers before anything is rendered, so its ends must be known when the
//! template is read: a number of a document could be anything.

use std::io::{Error, Result, Write};

use crate::template::TemplateError;

/// Numbers of a range at the most.
const MAX_RANGE: i64 = 10_000;

/// Bytes of a rendered text at the most.
pub(crate) const MAX_BYTES: usize = 16 << 20;

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
}
