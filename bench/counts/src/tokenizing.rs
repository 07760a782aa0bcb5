//! Text cut into tokens, by script.

use std::hint::black_box;

use serval_text::{Token, Tokenizer, TokenizerOptions};

use crate::meter::Meter;

const REPEATS: usize = 50;
const TEXTS: [(&str, &str); 6] = [
    (
        "tokenize.ascii",
        "The quick brown fox, it's said, jumps over 12 lazy dogs - twice a day. ",
    ),
    (
        "tokenize.accents",
        "L'été dernier, Zoë a goûté une crème brûlée près de la forêt à Genève. ",
    ),
    (
        "tokenize.german",
        "Die Donaudampfschifffahrtsgesellschaft fährt heute über den großen Fluss. ",
    ),
    (
        "tokenize.chinese",
        "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。",
    ),
    (
        "tokenize.japanese",
        "すべての人間は、生まれながらにして自由であり、尊厳と権利とについて平等である。",
    ),
    (
        "tokenize.thai",
        "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
    ),
];

/// Counts them.
pub(crate) fn count(meter: &mut Meter) {
    let tokenizer = Tokenizer::new(&TokenizerOptions::default());
    for (name, text) in TEXTS {
        let text = text.repeat(REPEATS);
        meter.repeat(name, || {
            tokenizer.tokenize(&text, &[], |token: Token<'_>| drop(black_box(token)));
        });
    }
}
