//! How fast text is cut into tokens, by script. Run with `cargo bench -p serval-text`.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use serval_text::{Token, Tokenizer, TokenizerOptions};

fn main() {
    divan::main();
}

const TEXTS: [(&str, &str); 6] = [
    (
        "ascii",
        "The quick brown fox, it's said, jumps over 12 lazy dogs - twice a day. ",
    ),
    (
        "latin",
        "L'été dernier, Zoë a goûté une crème brûlée près de la forêt à Genève. ",
    ),
    (
        "german",
        "Die Donaudampfschifffahrtsgesellschaft fährt heute über den großen Fluss. ",
    ),
    (
        "chinese",
        "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。",
    ),
    (
        "japanese",
        "すべての人間は、生まれながらにして自由であり、尊厳と権利とについて平等である。",
    ),
    ("thai", "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ"),
];

#[divan::bench(args = TEXTS.map(|(name, _)| name))]
fn tokenize(bencher: Bencher<'_, '_>, script: &str) {
    let (_, text) = TEXTS
        .iter()
        .find(|(name, _)| *name == script)
        .expect("a script");
    let text = text.repeat(20);
    let tokenizer = Tokenizer::new(&TokenizerOptions::default());
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        tokenizer.tokenize(&text, &[], &mut |token: Token<'_>| drop(black_box(token)));
    });
}
