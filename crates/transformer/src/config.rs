//! `config.json`: the sizes of a model, whatever its family calls them.

use serde::Deserialize;

/// What the layers are called and how they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// BERT itself.
    Bert,
    /// DistilBERT: half the layers, no token types, names of its own.
    DistilBert,
    /// RoBERTa, XLM-RoBERTa and CamemBERT: positions are counted from after the padding token.
    Roberta,
    /// MPNet: as RoBERTa, and attention knows how far tokens are apart.
    MpNet,
}

/// What bends the numbers between the two products of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Activation {
    #[default]
    Gelu,
    #[serde(alias = "gelu_pytorch_tanh", alias = "gelu_fast")]
    GeluNew,
    Relu,
}

/// The sizes of a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) family: Family,
    /// Tokens that the model knows.
    pub(crate) n_words: usize,
    /// Numbers of the vector of a token.
    pub(crate) width: usize,
    pub(crate) n_layers: usize,
    pub(crate) n_heads: usize,
    /// Numbers between the two products of a layer.
    pub(crate) inner: usize,
    /// Rows of the table of positions.
    pub(crate) n_positions: usize,
    /// Row of the first position.
    pub(crate) first_position: usize,
    /// Rows of the table of token types; 0 without one.
    pub(crate) n_types: usize,
    /// Rows of the table of distances; 0 without one.
    pub(crate) n_distances: usize,
    pub(crate) activation: Activation,
    pub(crate) epsilon: f32,
}

impl Config {
    /// Tokens of the longest text.
    pub(crate) fn max_tokens(&self) -> usize {
        self.n_positions - self.first_position
    }
}

/// The file as it is.
#[derive(Deserialize)]
pub(crate) struct ConfigFile {
    model_type: Option<String>,
    position_embedding_type: Option<String>,
    vocab_size: usize,
    #[serde(alias = "dim")]
    hidden_size: usize,
    #[serde(alias = "n_layers")]
    num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    num_attention_heads: usize,
    #[serde(alias = "hidden_dim")]
    intermediate_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "two")]
    type_vocab_size: usize,
    #[serde(default, alias = "activation")]
    hidden_act: Activation,
    #[serde(default = "tiny")]
    layer_norm_eps: f32,
    #[serde(default)]
    pad_token_id: Option<usize>,
    #[serde(default)]
    relative_attention_num_buckets: Option<usize>,
}

fn two() -> usize {
    2
}

fn tiny() -> f32 {
    1e-12
}

/// Why a configuration is of no use.
pub(crate) enum Refusal {
    /// What, and what the file says.
    Unsupported(&'static str, String, &'static str),
    /// A sentence.
    Contradiction(&'static str),
}

/// Rows of a table beyond which a file is taken for damaged.
const MAX_ROWS: usize = 1 << 24;

impl ConfigFile {
    /// The sizes, when they fit together.
    pub(crate) fn config(self) -> Result<Config, Refusal> {
        let family = self.family()?;
        let positions = self.position_embedding_type.as_deref();
        if let Some(kind) = positions.filter(|kind| *kind != "absolute") {
            let (what, found) = ("position embedding", kind.to_owned());
            return Err(Refusal::Unsupported(what, found, "`absolute`"));
        }
        let config = Config {
            family,
            n_words: self.vocab_size,
            width: self.hidden_size,
            n_layers: self.num_hidden_layers,
            n_heads: self.num_attention_heads,
            inner: self.intermediate_size,
            n_positions: self.max_position_embeddings,
            first_position: match family {
                Family::Bert | Family::DistilBert => 0,
                Family::Roberta | Family::MpNet => self.pad_token_id.unwrap_or(1).saturating_add(1),
            },
            n_types: match family {
                Family::Bert | Family::Roberta => self.type_vocab_size,
                Family::DistilBert | Family::MpNet => 0,
            },
            n_distances: match family {
                Family::MpNet => self.relative_attention_num_buckets.unwrap_or(32),
                _ => 0,
            },
            activation: self.hidden_act,
            epsilon: self.layer_norm_eps,
        };
        check(&config)?;
        Ok(config)
    }

    fn family(&self) -> Result<Family, Refusal> {
        match self.model_type.as_deref() {
            None | Some("bert") => Ok(Family::Bert),
            Some("distilbert") => Ok(Family::DistilBert),
            Some("roberta" | "xlm-roberta" | "camembert") => Ok(Family::Roberta),
            Some("mpnet") => Ok(Family::MpNet),
            Some(other) => Err(Refusal::Unsupported(
                "model type",
                other.to_owned(),
                "one of `bert`, `distilbert`, `roberta`, `xlm-roberta`, `camembert` and `mpnet`",
            )),
        }
    }
}

fn check(config: &Config) -> Result<(), Refusal> {
    let sizes = [
        config.n_words,
        config.width,
        config.n_layers,
        config.n_heads,
        config.inner,
        config.n_positions,
    ];
    if sizes.iter().any(|size| *size == 0 || *size > MAX_ROWS) {
        return Err(Refusal::Contradiction("a size is zero or absurd"));
    }
    if !config.width.is_multiple_of(config.n_heads) {
        return Err(Refusal::Contradiction(
            "the hidden size is no multiple of the number of heads",
        ));
    }
    // Two marks around a text, and one token of it.
    if config.n_positions < config.first_position.saturating_add(3) {
        return Err(Refusal::Contradiction("there is no room for a text"));
    }
    Ok(())
}
