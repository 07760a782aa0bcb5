//! What each language makes of a text: words joined by spaces.

use serval_text::{Locale, Tokenizer};

fn cut_as(locales: &[&str], text: &str) -> String {
    let locales: Vec<Locale> = locales
        .iter()
        .map(|code| code.parse().expect("known"))
        .collect();
    let tokens = Tokenizer::default().tokens(text, &locales);
    let words = tokens
        .iter()
        .filter(|token| token.is_word_like())
        .map(|token| &*token.text);
    words.collect::<Vec<_>>().join(" ")
}

fn cut(text: &str) -> String {
    cut_as(&[], text)
}

#[test]
fn chinese_is_cut_by_dictionary_into_short_words() {
    assert_eq!(cut("人人生而自由,在尊严"), "人人 生 而 自由 在 尊嚴");
    assert_eq!(cut("我喜欢在图书馆看书"), "我 喜歡 在 圖書 館 看書");
    assert_eq!(cut("图书馆看"), "圖書 館 看");
    assert_eq!(
        cut("北京大学是中国最好的大学之一"),
        "北京 大學 是 中國 最好 的 大學 之一"
    );
    assert_eq!(cut("搜索引擎 2026 年版"), "搜索 引擎 2026 年 版");
}

#[test]
fn old_and_new_ideographs_share_a_normal_form() {
    assert_eq!(cut("国家图书馆"), "國家 圖書 館");
    assert_eq!(cut("國家圖書館"), "國 家 圖 書 館");
}

#[test]
fn latin_words_inside_chinese_are_words_of_their_own() {
    assert_eq!(cut("使用TypeScript编写"), "使用 typescript 編寫");
    assert_eq!(cut("手机iPhone17"), "手机 iphone17");
}

#[test]
fn kana_make_a_text_japanese_and_katakana_meet_hiragana() {
    assert_eq!(cut("関西国際空港で"), "関西 国際 空港 て\u{3099}");
    assert_eq!(cut("カメラ レンズ"), "かめら れんす\u{3099}");
    assert_eq!(cut("すもも 123 ABC"), "すもも 123 abc");
}

#[test]
fn kana_of_both_widths_meet() {
    assert_eq!(cut("ﾗｰﾒﾝ"), cut("ラーメン"));
    assert_eq!(cut("ﾗｰﾒﾝ").split(' ').count(), 1);
    assert_eq!(cut("ｶﾞﾗｽ"), cut("ガラス"));
    assert_eq!(cut("Ｈｅｌｌｏ"), "Hello");
}

#[test]
fn a_japanese_sentence_is_cut_at_word_boundaries() {
    let words = cut("東京のお寿司を食べました");
    assert!(words.starts_with("東京 の "), "{words}");
    assert!(words.split(' ').count() >= 5, "{words}");
}

#[test]
fn ideographs_alone_are_chinese_unless_japanese_is_named() {
    assert_eq!(cut("東京都"), "東 京都");
    assert_eq!(cut_as(&["jpn"], "東京都"), "東京 都");
    assert_eq!(cut_as(&["ja"], "東京都"), "東京 都");
    assert_eq!(cut("寿司"), "壽司");
    assert_eq!(cut_as(&["ja"], "寿司"), "寿司");
}

#[test]
fn korean_is_cut_at_spaces_and_separators() {
    let words = cut("한국어의 형태, 해석");
    assert_eq!(words.split(' ').count(), 3);
    assert!(words.starts_with(&cut("한국어")), "{words}");
}

#[test]
fn thai_is_cut_by_dictionary() {
    assert_eq!(cut("ภาษาไทยง่ายนิดเดียว"), "ภาษาไทย งาย นดเดยว");
    assert_eq!(cut("เมืองหลวงของประเทศไทย"), "เมองหลวง ของ ประเทศ ไทย");
}

#[test]
fn khmer_is_cut_by_dictionary() {
    assert!(cut("ខ្ញុំស្រឡាញ់ភាសាខ្មែរ").contains("ភាសាខ្មែរ"));
    assert_eq!(cut("ភ្នំពេញជារាជធានី"), "ភ្នំពេញ ជារ ា ជ ធានី");
}

#[test]
fn hebrew_points_are_removed() {
    assert_eq!(cut("הַשֶּׁמֶשׁ זוֹרַחַת"), "השמש זורחת");
}

#[test]
fn arabic_articles_part_from_their_nouns() {
    assert_eq!(cut("السلام عليكم"), "ال سلام عليكم");
    assert_eq!(cut("مُحَمَّد في المدرسة"), "محمد في ال مدرسه");
}

#[test]
fn greek_loses_accents_case_and_final_sigma() {
    assert_eq!(cut("Ο ουρανός"), "ο ουρανοσ");
    assert_eq!(cut("ΟΥΡΑΝΟΣ"), "ουρανοσ");
}

#[test]
fn cyrillic_keeps_its_marks() {
    assert_eq!(cut("Йод"), "и\u{306}од");
}

#[test]
fn vietnamese_and_turkish_letters_fold() {
    assert_eq!(cut("Đường phố Hà Nội"), "duong pho ha noi");
    assert_eq!(cut("İstanbul ISPARTA ılık"), "istanbul isparta ilik");
}

#[test]
fn swedish_letters_stay_only_where_swedish_is_named() {
    assert_eq!(cut("träbjälke på ångbåt"), "trabjalke pa angbat");
    assert_eq!(
        cut_as(&["swe"], "träbjälke på Ångbåt é"),
        "träbjälke på ångbåt e"
    );
}

#[test]
fn german_compounds_part_only_where_german_is_named() {
    assert_eq!(cut("Donaudampfschifffahrt"), "donaudampfschifffahrt");
    assert_eq!(
        cut_as(&["deu"], "Donaudampfschifffahrt"),
        "donau dampf schifffahrt"
    );
    assert_eq!(cut_as(&["de"], "Krankenhaus"), "kranken haus");
}

#[test]
fn the_highlighted_part_of_a_word_is_measured_in_the_original() {
    let prefix_of = |text: &str, prefix: usize| {
        let tokens = Tokenizer::default().tokens(text, &[]);
        text[..tokens[0].original_prefix(prefix)].to_owned()
    };
    assert_eq!(prefix_of("Westfália", 8), "Westfáli");
    assert_eq!(prefix_of("Ŵôřlḑôle", 5), "Ŵôřlḑ");
    assert_eq!(prefix_of("œuvre", 4), "œuv");
    assert_eq!(prefix_of("cafe\u{301}", 4), "cafe");
    assert_eq!(prefix_of("hello", 3), "hel");
    assert_eq!(prefix_of("hello", 99), "hello");
}
