//! Random trees come back from their canonical text; random texts never panic.

use proptest::prelude::*;
use serval_filter::{Filter, Operator, VectorScope, Word, parse};

fn word() -> impl Strategy<Value = Word> {
    prop_oneof![any::<String>(), "[a-z.é_-]{1,6}", Just("AND".to_owned())]
        .prop_map(|text| Word::from(text.as_str()))
}

fn number() -> impl Strategy<Value = Word> {
    "-?[0-9]{1,3}(\\.[0-9]{1,3})?(e[0-9])?".prop_map(|text| Word::from(text.as_str()))
}

fn point() -> impl Strategy<Value = [Word; 2]> {
    [number(), number()]
}

fn operator() -> impl Strategy<Value = Operator> {
    prop_oneof![
        word().prop_map(Operator::Equal),
        word().prop_map(Operator::NotEqual),
        word().prop_map(Operator::Greater),
        word().prop_map(Operator::GreaterOrEqual),
        word().prop_map(Operator::Less),
        word().prop_map(Operator::LessOrEqual),
        (word(), word()).prop_map(|(from, to)| Operator::Between { from, to }),
        prop::collection::vec(word(), 0..4).prop_map(Operator::In),
        Just(Operator::Exists),
        Just(Operator::IsNull),
        Just(Operator::IsEmpty),
        word().prop_map(|value| Operator::Contains {
            keyword: "CONTAINS".into(),
            value
        }),
        word().prop_map(|value| Operator::StartsWith {
            keyword: "STARTS WITH".into(),
            value
        }),
    ]
}

fn vectors() -> impl Strategy<Value = Filter> {
    let scope = prop_oneof![
        Just(VectorScope::Any),
        word().prop_map(VectorScope::Fragment),
        Just(VectorScope::UserProvided),
        Just(VectorScope::DocumentTemplate),
        Just(VectorScope::Regenerate),
    ];
    prop::option::of((word(), scope)).prop_map(|parts| {
        let (embedder, scope) = parts.map_or((None, VectorScope::Any), |(name, scope)| {
            (Some(name), scope)
        });
        Filter::Vectors {
            keyword: "_vectors".into(),
            embedder,
            scope,
        }
    })
}

fn leaf() -> impl Strategy<Value = Filter> {
    prop_oneof![
        6 => (word(), operator())
            .prop_map(|(attribute, operator)| Filter::Condition { attribute, operator }),
        1 => (point(), number(), prop::option::of(number()))
            .prop_map(|(center, radius, resolution)| Filter::GeoRadius { center, radius, resolution }),
        1 => (point(), point())
            .prop_map(|(top_right, bottom_left)| Filter::GeoBoundingBox { top_right, bottom_left }),
        1 => prop::collection::vec(point(), 3..5).prop_map(|points| Filter::GeoPolygon { points }),
        1 => vectors(),
    ]
}

fn filter() -> impl Strategy<Value = Filter> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Filter::Or),
            inner.clone().prop_map(|inner| match inner {
                Filter::Not(inner) => *inner,
                inner => Filter::Not(Box::new(inner)),
            }),
            (word(), inner).prop_map(|(attribute, inner)| Filter::Foreign {
                keyword: "_foreign".into(),
                attribute,
                filter: Box::new(inner),
            }),
        ]
    })
}

proptest! {
    #[test]
    fn the_canonical_text_parses_to_the_same_filter(filter in filter()) {
        let parsed = parse(&filter.to_string()).expect("canonical text is accepted");
        prop_assert_eq!(parsed, Some(filter));
    }

    #[test]
    fn canonical_spans_are_those_of_the_parsed_canonical_text(filter in filter()) {
        let text = filter.to_string();
        let parsed = parse(&text).expect("canonical text is accepted").expect("a filter");
        let canonical = filter.canonical();
        for (left, right) in canonical.attributes().zip(parsed.attributes()) {
            prop_assert_eq!(left.span(), right.span());
            prop_assert_eq!(left.source(), text.as_str());
            prop_assert_eq!(left.quoted(), right.quoted());
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in any::<String>()) {
        if let Err(error) = parse(&text) {
            prop_assert!(error.to_string().ends_with(&text));
        }
    }

    #[test]
    fn filter_like_text_never_panics(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "é.b", "'x'", "\"", "'", "\\", "\\u", " ", "\u{a0}", "\n", "(", ")", "[", "]", ",",
            "=", "!=", "<", ">=", "AND", "OR", "NOT", "IN", "TO", "EXISTS", "IS", "NULL", "EMPTY",
            "CONTAINS", "STARTS", "WITH", "_geo", "_geoRadius", "_geoBoundingBox", "_geoPolygon",
            "_geoPoint", "_vectors", "_vectors.", ".fragments", ".userProvided", ".", "_foreign",
            "1", "-2.5e3", "e", "🐻",
        ]), 0..14),
        separator in prop::sample::select(vec!["", " "]),
    ) {
        let text = pieces.join(separator);
        match parse(&text) {
            Ok(Some(filter)) => {
                let canonical = parse(&filter.to_string());
                prop_assert_eq!(canonical.expect("canonical text is accepted"), Some(filter));
            }
            Ok(None) => prop_assert!(text.trim().is_empty()),
            Err(error) => {
                let span = error.span().expect("a fault has a place");
                prop_assert!(1 <= span.start && span.start <= span.end);
                prop_assert!(span.end <= text.chars().count() + 1);
            }
        }
    }
}
