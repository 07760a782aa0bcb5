//! The Liquid language with its tags and filters, those that cost something bounded.

use std::fmt;
use std::io::Write;

use liquid_core::model::{Value, ValueView};
use liquid_core::parser::FilterArguments;
use liquid_core::{
    BlockReflection, Expression, Filter, FilterReflection, Language, ParseBlock, ParseFilter,
    ParseTag, Renderable, Result, Runtime, TagBlock, TagReflection, TagTokenIter,
};
use liquid_lib::stdlib;

use crate::captured::KeepingBlock;
use crate::work::{Counted, bytes_of, check_length, spend_bytes};

/// All tags, blocks and filters.
pub(crate) fn language() -> Language {
    let mut language = Language::default();
    add_tags(&mut language);
    add_filters(&mut language);
    language
}

fn add_tags(language: &mut Language) {
    let tags: [Box<dyn ParseTag>; 8] = [
        Box::new(stdlib::AssignTag),
        Box::new(stdlib::BreakTag),
        Box::new(stdlib::ContinueTag),
        Box::new(stdlib::CycleTag),
        Box::new(stdlib::IncludeTag),
        Box::new(stdlib::IncrementTag),
        Box::new(stdlib::DecrementTag),
        Box::new(stdlib::RenderTag),
    ];
    for tag in tags {
        let name = tag.reflection().tag().to_owned();
        language.tags.register(name, Box::new(Counting(tag)));
    }
    let blocks: [Box<dyn ParseBlock>; 9] = [
        Box::new(stdlib::RawBlock),
        Box::new(stdlib::IfBlock),
        Box::new(stdlib::UnlessBlock),
        Box::new(KeepingBlock::IfChanged),
        Box::new(stdlib::ForBlock),
        Box::new(stdlib::TableRowBlock),
        Box::new(stdlib::CommentBlock),
        Box::new(KeepingBlock::Capture),
        Box::new(stdlib::CaseBlock),
    ];
    for block in blocks {
        let name = block.reflection().start_tag().to_owned();
        language.blocks.register(name, Box::new(Counting(block)));
    }
}

fn add_filters(language: &mut Language) {
    let filters: [Box<dyn ParseFilter>; 46] = [
        Box::new(stdlib::Abs),
        Box::new(stdlib::Append),
        Box::new(stdlib::AtLeast),
        Box::new(stdlib::AtMost),
        Box::new(stdlib::Capitalize),
        Box::new(stdlib::Ceil),
        Box::new(stdlib::Compact),
        Box::new(stdlib::Concat),
        Box::new(stdlib::Date),
        Box::new(stdlib::Default),
        Box::new(stdlib::DividedBy),
        Box::new(stdlib::Downcase),
        Box::new(stdlib::Escape),
        Box::new(stdlib::EscapeOnce),
        Box::new(stdlib::First),
        Box::new(stdlib::Floor),
        Box::new(stdlib::Join),
        Box::new(stdlib::Last),
        Box::new(stdlib::Lstrip),
        Box::new(stdlib::Map),
        Box::new(stdlib::Minus),
        Box::new(stdlib::Modulo),
        Box::new(stdlib::NewlineToBr),
        Box::new(stdlib::Plus),
        Box::new(stdlib::Prepend),
        Box::new(stdlib::Remove),
        Box::new(stdlib::RemoveFirst),
        Box::new(stdlib::Replace),
        Box::new(stdlib::ReplaceFirst),
        Box::new(stdlib::Reverse),
        Box::new(stdlib::Round),
        Box::new(stdlib::Rstrip),
        Box::new(stdlib::Size),
        Box::new(stdlib::Slice),
        Box::new(stdlib::Sort),
        Box::new(stdlib::SortNatural),
        Box::new(stdlib::Split),
        Box::new(stdlib::Strip),
        Box::new(stdlib::StripHtml),
        Box::new(stdlib::StripNewlines),
        Box::new(stdlib::Times),
        Box::new(stdlib::Truncate),
        Box::new(stdlib::TruncateWords),
        Box::new(stdlib::Uniq),
        Box::new(stdlib::Upcase),
        Box::new(stdlib::Where),
    ];
    let urls: [Box<dyn ParseFilter>; 2] =
        [Box::new(stdlib::UrlDecode), Box::new(stdlib::UrlEncode)];
    for filter in filters.into_iter().chain(urls) {
        let name = filter.reflection().name().to_owned();
        language.filters.register(name, Box::new(Bounding(filter)));
    }
}

/// A tag or block that pays for the values it reads.
#[derive(Clone)]
struct Counting<P>(P);

impl ParseTag for Counting<Box<dyn ParseTag>> {
    fn parse(
        &self,
        arguments: TagTokenIter<'_>,
        language: &Language,
    ) -> Result<Box<dyn Renderable>> {
        Ok(Box::new(CountedPart(self.0.parse(arguments, language)?)))
    }

    fn reflection(&self) -> &dyn TagReflection {
        self.0.reflection()
    }
}

impl ParseBlock for Counting<Box<dyn ParseBlock>> {
    fn parse(
        &self,
        arguments: TagTokenIter<'_>,
        block: TagBlock<'_, '_>,
        language: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let part = self.0.parse(arguments, block, language)?;
        Ok(Box::new(CountedPart(part)))
    }

    fn reflection(&self) -> &dyn BlockReflection {
        self.0.reflection()
    }
}

#[derive(Debug)]
struct CountedPart(Box<dyn Renderable>);

impl Renderable for CountedPart {
    fn render_to(&self, writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        spend_bytes(runtime, 0)?;
        let runtime = Counted {
            inner: runtime,
            is_outermost: false,
        };
        self.0.render_to(writer, &runtime)
    }
}

/// A filter that pays for what it reads and makes, and makes nothing that is too long.
#[derive(Clone)]
struct Bounding(Box<dyn ParseFilter>);

impl ParseFilter for Bounding {
    fn parse(&self, arguments: FilterArguments<'_>) -> Result<Box<dyn Filter>> {
        let FilterArguments {
            positional,
            keyword,
        } = arguments;
        let given: Vec<Expression> = positional.collect();
        let positional = Box::new(given.clone().into_iter());
        let filter = self.0.parse(FilterArguments {
            positional,
            keyword,
        })?;
        Ok(Box::new(Bounded {
            growth: Growth::of(self.reflection().name()),
            given,
            filter,
        }))
    }

    fn reflection(&self) -> &dyn FilterReflection {
        self.0.reflection()
    }
}

#[derive(Debug)]
struct Bounded {
    growth: Growth,
    given: Vec<Expression>,
    filter: Box<dyn Filter>,
}

/// What can make a result much longer than the input and the arguments are together.
#[derive(Clone, Copy, Debug)]
enum Growth {
    None,
    /// An argument between all elements.
    Join,
    /// An argument for each place of another.
    Replace,
    /// Numbers padded to a length that the argument says.
    Date,
}

impl Growth {
    fn of(filter: &str) -> Self {
        match filter {
            "join" => Self::Join,
            "replace" => Self::Replace,
            "date" => Self::Date,
            _ => Self::None,
        }
    }

    /// Bytes that come to the input at the most.
    fn bytes(self, input: &dyn ValueView, given: &[String]) -> u64 {
        let len = |nth: usize| given.get(nth).map_or(0, String::len) as u64;
        match self {
            Self::None => 0,
            Self::Join => {
                let n_items = input.as_array().map_or(0, |items| items.size());
                len(0).saturating_mul(u64::try_from(n_items).unwrap_or(0))
            }
            Self::Replace => {
                let text = input.to_kstr();
                let n_places = given.first().map_or(0, |given| text.matches(given).count());
                len(1).saturating_mul(n_places as u64)
            }
            Self::Date => {
                let format = given.first().map_or("", String::as_str);
                let numbers = format.split(|c: char| !c.is_ascii_digit());
                let lengths = numbers.filter(|digits| !digits.is_empty());
                lengths.fold(0, |sum: u64, digits| {
                    sum.saturating_add(digits.parse().unwrap_or(u64::MAX))
                })
            }
        }
    }
}

impl fmt::Display for Bounded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.filter.fmt(formatter)
    }
}

impl Filter for Bounded {
    fn evaluate(&self, input: &dyn ValueView, runtime: &dyn Runtime) -> Result<Value> {
        let mut read = bytes_of(input);
        let mut given = Vec::new();
        for expression in &self.given {
            let Some(value) = expression.try_evaluate(runtime) else {
                continue;
            };
            read += bytes_of(value.as_view());
            if !matches!(self.growth, Growth::None) {
                given.push(value.to_kstr().into_owned().into_string());
            }
        }
        spend_bytes(runtime, read)?;
        let grown = self.growth.bytes(input, &given);
        check_length(runtime, grown)?;
        let made = self.filter.evaluate(input, runtime)?;
        let made_bytes = bytes_of(&made);
        spend_bytes(runtime, made_bytes)?;
        if made.as_scalar().is_some() {
            check_length(runtime, made_bytes)?;
        }
        Ok(made)
    }
}
