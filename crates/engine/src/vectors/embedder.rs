//! One embedder as its settings describe it, and what a change of them asks for.

use serde_json::{Map, Value};

use crate::settings::{
    DEFAULT_MAX_BYTES, DEFAULT_OPEN_AI_MODEL, DEFAULT_SOURCE, DEFAULT_TEMPLATE, IndexSettings,
};

/// The settings of one embedder, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedder {
    /// Its name.
    pub name: String,
    /// Where vectors come from.
    pub source: String,
    /// Length of its vectors, if the settings say it.
    pub dimensions: Option<usize>,
    /// Whether vectors are kept as one bit per dimension.
    pub is_quantized: bool,
    /// How similarities are spread.
    pub distribution: Option<Distribution>,
    settings: Map<String, Value>,
}

/// Mean and standard deviation of the similarities of an embedder, to bring those of different
/// embedders to one scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution {
    /// The mean.
    pub mean: f32,
    /// The standard deviation.
    pub sigma: f32,
}

impl Distribution {
    /// The similarity on the common scale, above 0 and at most 1.
    #[must_use]
    pub fn shift(self, similarity: f32) -> f32 {
        let factor = 0.4 / self.sigma;
        let shifted = factor * similarity + (0.5 - factor * self.mean);
        if shifted <= 0.0 {
            f32::EPSILON
        } else {
            shifted.min(1.0)
        }
    }
}

/// What a change of an embedder's settings asks of the documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EmbedderChange {
    /// Nothing.
    None,
    /// The same vectors, kept as bits.
    Quantize,
    /// Vectors of documents whose text becomes another one.
    Rerender,
    /// All vectors that were not given by the user.
    Regenerate,
}

impl Embedder {
    /// The embedder of that name.
    #[must_use]
    pub fn of(settings: &IndexSettings, name: &str) -> Option<Self> {
        let object = settings.embedders.get(name)?.as_object()?;
        Some(Self::read(name, object))
    }

    /// All embedders, in byte order of their names.
    #[must_use]
    pub fn all(settings: &IndexSettings) -> Vec<Self> {
        let objects = settings.embedders.iter();
        objects
            .filter_map(|(name, value)| Some(Self::read(name, value.as_object()?)))
            .collect()
    }

    fn read(name: &str, settings: &Map<String, Value>) -> Self {
        let text = |field: &str| settings.get(field).and_then(Value::as_str);
        let source = text("source").unwrap_or(DEFAULT_SOURCE).to_owned();
        let given = settings.get("dimensions").and_then(Value::as_u64);
        let model = text("model").unwrap_or(DEFAULT_OPEN_AI_MODEL);
        let native = (source == "openAi").then(|| open_ai_dimensions(model));
        Self {
            name: name.to_owned(),
            dimensions: given.map(|n| n as usize).or(native.flatten()),
            is_quantized: settings.get("binaryQuantized") == Some(&Value::Bool(true)),
            distribution: distribution(settings).or_else(|| open_ai_distribution(&source, model)),
            settings: settings.clone(),
            source,
        }
    }

    /// Whether only users give its vectors.
    #[must_use]
    pub fn is_user_provided(&self) -> bool {
        self.source == "userProvided"
    }

    /// The complete settings, as JSON.
    #[must_use]
    pub fn settings_json(&self) -> String {
        Value::Object(self.settings.clone()).to_string()
    }

    /// The template that documents are rendered with.
    #[must_use]
    pub fn template(&self) -> &str {
        let own = self.rendering().get("documentTemplate");
        own.and_then(Value::as_str).unwrap_or(DEFAULT_TEMPLATE)
    }

    /// Bytes of a rendered document that are embedded.
    #[must_use]
    pub fn max_bytes(&self) -> usize {
        let own = self.rendering().get("documentTemplateMaxBytes");
        own.and_then(Value::as_u64).unwrap_or(DEFAULT_MAX_BYTES) as usize
    }

    /// The fragments that documents are rendered to in place of a template, by name; none if the
    /// embedder has a template.
    #[must_use]
    pub fn fragments(&self) -> Vec<(&str, &Value)> {
        let fragments = self.rendering().get("indexingFragments");
        let entries = fragments.and_then(Value::as_object).into_iter().flatten();
        entries
            .filter_map(|(name, fragment)| Some((name.as_str(), fragment.get("value")?)))
            .collect()
    }

    /// The settings that say how documents are rendered: of a composite, those of its half for
    /// indexing.
    fn rendering(&self) -> &Map<String, Value> {
        let nested = self.settings.get("indexingEmbedder");
        nested.and_then(Value::as_object).unwrap_or(&self.settings)
    }

    /// What changing to `new` asks of the documents.
    pub(crate) fn change(&self, new: &Self) -> EmbedderChange {
        let nested = ["indexingEmbedder"]
            .iter()
            .map(|name| change_of(nested(&self.settings, name), nested(&new.settings, name)))
            .max();
        let own = change_of(&self.settings, &new.settings);
        let change = own.max(nested.unwrap_or(EmbedderChange::None));
        if new.is_quantized && !self.is_quantized {
            return change.max(EmbedderChange::Quantize);
        }
        change
    }
}

fn nested<'v>(settings: &'v Map<String, Value>, name: &str) -> &'v Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    let nested = settings.get(name).and_then(Value::as_object);
    nested.unwrap_or(&EMPTY)
}

fn change_of(old: &Map<String, Value>, new: &Map<String, Value>) -> EmbedderChange {
    let differs = |field: &str| old.get(field) != new.get(field);
    let source = new.get("source").and_then(Value::as_str);
    let regenerates = [
        "source", "model", "revision", "pooling", "request", "response",
    ]
    .into_iter()
    .any(differs)
        || differs("url") && matches!(source, Some("ollama" | "rest"))
        || differs("dimensions") && matches!(source, None | Some("openAi" | "userProvided"));
    if regenerates {
        return EmbedderChange::Regenerate;
    }
    let max = |settings: &Map<String, Value>| {
        let bytes = settings.get("documentTemplateMaxBytes");
        bytes.and_then(Value::as_u64).unwrap_or(DEFAULT_MAX_BYTES)
    };
    if differs("documentTemplate") || differs("indexingFragments") || max(new) > max(old) {
        return EmbedderChange::Rerender;
    }
    EmbedderChange::None
}

fn distribution(settings: &Map<String, Value>) -> Option<Distribution> {
    let given = settings.get("distribution")?;
    Some(Distribution {
        mean: given.get("mean")?.as_f64()? as f32,
        sigma: given.get("sigma")?.as_f64()? as f32,
    })
}

fn open_ai_dimensions(model: &str) -> Option<usize> {
    match model {
        "text-embedding-3-large" => Some(3072),
        "text-embedding-3-small" | "text-embedding-ada-002" => Some(1536),
        _ => None,
    }
}

fn open_ai_distribution(source: &str, model: &str) -> Option<Distribution> {
    let (mean, sigma) = match (source, model) {
        ("openAi", "text-embedding-ada-002") => (0.90, 0.08),
        ("openAi", "text-embedding-3-large") => (0.70, 0.1),
        ("openAi", "text-embedding-3-small") => (0.75, 0.1),
        _ => return None,
    };
    Some(Distribution { mean, sigma })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn embedder(settings: Value) -> Embedder {
        Embedder::read("e", settings.as_object().expect("an object"))
    }

    #[test]
    fn a_distribution_puts_its_mean_at_one_half() {
        let distribution = Distribution {
            mean: 0.7,
            sigma: 0.1,
        };
        assert!((distribution.shift(0.7) - 0.5).abs() < 1e-6);
        assert!((distribution.shift(0.8) - 0.9).abs() < 1e-6);
        assert_eq!(distribution.shift(0.5), f32::EPSILON);
        assert_eq!(distribution.shift(1.0), 1.0);
    }

    #[test]
    fn a_change_costs_what_it_can_change_in_vectors() {
        let rest = |more: Value| {
            let mut settings = json!({"source": "rest", "url": "u", "request": 1, "response": 2});
            let object = settings.as_object_mut().expect("an object");
            object.extend(more.as_object().expect("an object").clone());
            embedder(settings)
        };
        let plain = rest(json!({}));
        let cost = |more: Value| plain.change(&rest(more));
        assert_eq!(cost(json!({})), EmbedderChange::None);
        assert_eq!(cost(json!({"apiKey": "k"})), EmbedderChange::None);
        assert_eq!(cost(json!({"headers": {}})), EmbedderChange::None);
        assert_eq!(cost(json!({"dimensions": 9})), EmbedderChange::None);
        assert_eq!(
            cost(json!({"documentTemplateMaxBytes": 9})),
            EmbedderChange::None
        );
        assert_eq!(
            cost(json!({"documentTemplateMaxBytes": 900})),
            EmbedderChange::Rerender
        );
        assert_eq!(
            cost(json!({"documentTemplate": "t"})),
            EmbedderChange::Rerender
        );
        assert_eq!(
            cost(json!({"binaryQuantized": true})),
            EmbedderChange::Quantize
        );
        assert_eq!(cost(json!({"url": "v"})), EmbedderChange::Regenerate);
    }
}
