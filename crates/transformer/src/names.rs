//! What the weights of a layer are called in each family.

use crate::config::Family;

/// The names of the parts of one layer, without `.weight` and `.bias`.
pub(crate) struct LayerNames {
    pub(crate) query: String,
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) mixed: String,
    pub(crate) mixed_norm: String,
    pub(crate) inner: String,
    pub(crate) outer: String,
    pub(crate) outer_norm: String,
}

impl Family {
    /// What the names of files of other heads than the plain one begin with.
    pub(crate) fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Bert => &["bert."],
            Self::DistilBert => &["distilbert."],
            Self::Roberta => &["roberta."],
            Self::MpNet => &["mpnet."],
        }
    }

    /// The names of a layer.
    pub(crate) fn layer(self, layer: usize) -> LayerNames {
        let (root, parts) = match self {
            Self::Bert | Self::Roberta => (
                format!("encoder.layer.{layer}"),
                [
                    "attention.self.query",
                    "attention.self.key",
                    "attention.self.value",
                    "attention.output.dense",
                    "attention.output.LayerNorm",
                    "intermediate.dense",
                    "output.dense",
                    "output.LayerNorm",
                ],
            ),
            Self::DistilBert => (
                format!("transformer.layer.{layer}"),
                [
                    "attention.q_lin",
                    "attention.k_lin",
                    "attention.v_lin",
                    "attention.out_lin",
                    "sa_layer_norm",
                    "ffn.lin1",
                    "ffn.lin2",
                    "output_layer_norm",
                ],
            ),
            Self::MpNet => (
                format!("encoder.layer.{layer}"),
                [
                    "attention.attn.q",
                    "attention.attn.k",
                    "attention.attn.v",
                    "attention.attn.o",
                    "attention.LayerNorm",
                    "intermediate.dense",
                    "output.dense",
                    "output.LayerNorm",
                ],
            ),
        };
        let [
            query,
            key,
            value,
            mixed,
            mixed_norm,
            inner,
            outer,
            outer_norm,
        ] = parts.map(|part| format!("{root}.{part}"));
        LayerNames {
            query,
            key,
            value,
            mixed,
            mixed_norm,
            inner,
            outer,
            outer_norm,
        }
    }
}
