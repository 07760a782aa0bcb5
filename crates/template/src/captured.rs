//! The two blocks that keep what they render: bounded, as the text of the whole is.

use std::io::Write;

use liquid_core::error::ResultLiquidReplaceExt;
use liquid_core::model::{KString, Value};
use liquid_core::{
    BlockReflection, Error, Language, ParseBlock, Renderable, Result, Runtime, TagBlock,
    TagTokenIter, Template,
};

use crate::bounds::BoundedText;
use crate::work::{check_length, spend_bytes};

/// A block that keeps what is inside of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum KeepingBlock {
    /// `{% capture name %}`: what is inside becomes a variable.
    Capture,
    /// `{% ifchanged %}`: what is inside is written when it differs from the last time.
    IfChanged,
}

impl BlockReflection for KeepingBlock {
    fn start_tag(&self) -> &str {
        match self {
            Self::Capture => "capture",
            Self::IfChanged => "ifchanged",
        }
    }

    fn end_tag(&self) -> &str {
        match self {
            Self::Capture => "endcapture",
            Self::IfChanged => "endifchanged",
        }
    }

    fn description(&self) -> &str {
        ""
    }
}

impl ParseBlock for KeepingBlock {
    fn parse(
        &self,
        mut arguments: TagTokenIter<'_>,
        mut block: TagBlock<'_, '_>,
        language: &Language,
    ) -> Result<Box<dyn Renderable>> {
        let name = match self {
            Self::Capture => {
                let name = arguments.expect_next("Identifier expected")?;
                Some(name.expect_identifier().into_result()?.to_owned())
            }
            Self::IfChanged => None,
        };
        arguments.expect_nothing()?;
        let inside = Template::new(block.parse_all(language)?);
        block.assert_empty();
        Ok(match name {
            Some(name) => Box::new(Capture {
                name: name.into(),
                inside,
            }),
            None => Box::new(IfChanged { inside }),
        })
    }

    fn reflection(&self) -> &dyn BlockReflection {
        self
    }
}

#[derive(Debug)]
struct Capture {
    name: KString,
    inside: Template,
}

impl Renderable for Capture {
    fn render_to(&self, _: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let text = rendered(&self.inside, runtime)?;
        runtime.set_global(self.name.clone(), Value::scalar(text));
        Ok(())
    }
}

#[derive(Debug)]
struct IfChanged {
    inside: Template,
}

/// What such a block wrote last.
#[derive(Debug, Default)]
struct LastText(Option<String>);

impl Renderable for IfChanged {
    fn render_to(&self, writer: &mut dyn Write, runtime: &dyn Runtime) -> Result<()> {
        let text = rendered(&self.inside, runtime)?;
        let is_new = runtime.registers().get_mut::<LastText>().0.as_ref() != Some(&text);
        if is_new {
            writer
                .write_all(text.as_bytes())
                .replace("Failed to render")?;
            runtime.registers().get_mut::<LastText>().0 = Some(text);
        }
        Ok(())
    }
}

fn rendered(inside: &Template, runtime: &dyn Runtime) -> Result<String> {
    let mut text = BoundedText::default();
    let ended = inside.render_to(&mut text, runtime);
    if text.refusal().is_some() {
        check_length(runtime, u64::MAX)?;
    }
    ended?;
    spend_bytes(runtime, text.bytes.len() as u64)?;
    String::from_utf8(text.bytes).map_err(|_| Error::with_msg("Failed to render"))
}
