//! What highlighting takes from a query: every word and phrase that stands for a part of it.

use std::cmp::Reverse;

use serval_format::MatchWords;

use crate::query::{Form, Matching, Node, QueryGraph, Slot, shortest_words_with};

/// Collects the words of all nodes, those that stand for the longest part of the query first: of
/// several that a word may be, it is the first. The words of a prefix are marked as far as was
/// typed.
pub(super) fn match_words(matching: &Matching<'_>, graph: &QueryGraph) -> MatchWords {
    let mut words = MatchWords::default();
    let mut nodes: Vec<&Node> = graph.nodes.iter().collect();
    nodes.sort_by_key(|node| Reverse(node.last - node.first));
    for node in nodes {
        add_node(&mut words, matching, node);
    }
    words
}

fn add_node(words: &mut MatchWords, matching: &Matching<'_>, node: &Node) {
    let ids = node.first..node.last.saturating_add(1);
    let typed = node.text.chars().count();
    for derivation in &node.derivations {
        match derivation.form {
            Form::Phrase(phrase) => {
                let phrase = matching.phrase_at(phrase);
                if phrase.words.iter().all(Option::is_some) {
                    words.add_sequence(phrase.placed().map(|(_, word)| word), ids.clone());
                }
            }
            Form::Word(slot) | Form::Prefix { slot, .. } => {
                let (Slot::Word(text) | Slot::Prefix(text)) = &matching.slots[usize::from(slot)];
                if !node.is_prefix {
                    words.add_word(text, ids.clone());
                } else if is_marked_alone(matching, derivation.form, text) {
                    words.add_prefix(text, typed, ids.clone());
                } else {
                    for word in shortest_words_with(matching.corpus, text) {
                        words.add_prefix(&word, typed, ids.clone());
                    }
                }
            }
        }
    }
}

/// Whether all that starts with the text is marked. A prefix that is neither short nor itself a word of
/// the index stands for the words there that start with it: a stop word, or a word of an attribute
/// that is not searched, is none of them.
fn is_marked_alone(matching: &Matching<'_>, form: Form, text: &str) -> bool {
    match form {
        Form::Prefix { is_short, .. } => is_short || matching.corpus.has_word(text),
        Form::Word(_) | Form::Phrase(_) => true,
    }
}
