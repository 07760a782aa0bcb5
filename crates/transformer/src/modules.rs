//! `modules.json` and `1_Pooling/config.json`: what becomes of the vectors of the tokens.

use serde::Deserialize;

use crate::pooling::Pooling;

/// One step of `modules.json`.
#[derive(Deserialize)]
pub(crate) struct Module {
    r#type: String,
    #[serde(default)]
    path: String,
}

/// What the steps come down to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Folder of the configuration of pooling.
    pub(crate) pooling: String,
    /// Whether vectors are brought to length one.
    pub(crate) normalizes: bool,
}

impl Steps {
    /// Reads the steps; the name of one that is not known is the error.
    pub(crate) fn of(modules: Vec<Module>) -> Result<Self, String> {
        let mut steps = Self {
            pooling: "1_Pooling".to_owned(),
            normalizes: false,
        };
        for module in modules {
            // The last word of a Python class.
            match module.r#type.rsplit('.').next().unwrap_or_default() {
                "Transformer" => {}
                "Pooling" if is_name(&module.path) => steps.pooling = module.path,
                "Normalize" => steps.normalizes = true,
                _ => return Err(module.r#type),
            }
        }
        Ok(steps)
    }
}

/// Whether a path is a folder directly in the model's own.
fn is_name(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('.') && !path.contains(['/', '\\'])
}

/// `1_Pooling/config.json`.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct PoolingConfig {
    pooling_mode: Option<String>,
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_lasttoken: bool,
}

impl PoolingConfig {
    /// The pooling that the file names; nothing when it names none, or several, whose vectors would
    /// have to be joined.
    pub(crate) fn pooling(&self) -> Option<Pooling> {
        if let Some(mode) = &self.pooling_mode {
            return named(mode);
        }
        let modes = [
            (self.pooling_mode_cls_token, Pooling::Cls),
            (self.pooling_mode_mean_tokens, Pooling::Mean),
            (self.pooling_mode_max_tokens, Pooling::Max),
            (
                self.pooling_mode_mean_sqrt_len_tokens,
                Pooling::MeanSqrtLength,
            ),
            (self.pooling_mode_lasttoken, Pooling::LastToken),
        ];
        let mut chosen = modes.iter().filter(|(is_chosen, _)| *is_chosen);
        match (chosen.next(), chosen.next()) {
            (Some((_, pooling)), None) => Some(*pooling),
            _ => None,
        }
    }
}

fn named(mode: &str) -> Option<Pooling> {
    match mode {
        "cls" => Some(Pooling::Cls),
        "mean" => Some(Pooling::Mean),
        "max" => Some(Pooling::Max),
        "mean_sqrt_len_tokens" => Some(Pooling::MeanSqrtLength),
        "lasttoken" => Some(Pooling::LastToken),
        _ => None,
    }
}
