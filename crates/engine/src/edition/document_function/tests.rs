//! What functions do to single documents.

use proptest::prelude::*;
use serde_json::json;

use super::super::{check_function, on_deep_stack};
use super::*;

fn edit(function: &str, context: Option<Value>, document: &str) -> Result<Edited, EditionError> {
    let run = || {
        let context = context.as_ref().and_then(Value::as_object);
        let mut function = DocumentFunction::compile(function, context, || false)?;
        function.apply(&RawDocument::parse(document).expect("an object"))
    };
    on_deep_stack(run).expect("a thread")
}

fn changed(function: &str, document: &str) -> String {
    match edit(function, None, document) {
        Ok(Edited::Changed(json)) => String::from_utf8(json).expect("UTF-8"),
        other => panic!("{other:?}"),
    }
}

fn failure(function: &str) -> String {
    let edited = edit(function, None, r#"{"id":1,"n":2}"#);
    edited.expect_err("a failure").to_string()
}

#[test]
fn members_keep_their_places_and_untouched_ones_their_text() {
    let document = r#"{"z":1.0e+2,"b":{"y":1,"a":[1,{"q":2,"c":3}]},"a":18446744073709551615}"#;
    assert_eq!(
        changed("doc.b.a[1].c = 4; doc.fresh = 'x'; doc.b.k = ()", document),
        r#"{"z":1.0e+2,"b":{"y":1,"a":[1,{"q":2,"c":4}],"k":null},"a":18446744073709551615,"fresh":"x"}"#
    );
    assert_eq!(
        changed("doc.remove(\"z\")", r#"{"z":1,"a":2}"#),
        r#"{"a":2}"#
    );
}

#[test]
fn a_document_set_to_nothing_is_deleted_and_one_left_alone_is_unchanged() {
    let document = r#"{"id":1,"price":20.5,"tags":["a","b"]}"#;
    let edited = |function| edit(function, None, document);
    assert_eq!(
        edited("if doc.price > 15 { doc = () }"),
        Ok(Edited::Deleted)
    );
    assert_eq!(edited("doc.price"), Ok(Edited::Unchanged));
    assert_eq!(
        edited("doc.price += 1; doc.price -= 1"),
        Ok(Edited::Unchanged)
    );
    assert_eq!(edited("doc = 3"), Err(EditionError::NoObject));
    assert_eq!(edited("doc = [doc]"), Err(EditionError::NoObject));
}

#[test]
fn functions_and_closures_see_the_context_but_cannot_change_it() {
    let context = Some(json!({"least": 2, "label": "x"}));
    let function = "fn twice(n) { n * 2 }\n\
        doc.n = doc.n.filter(|n| n >= context.least).map(|n| twice(n)); doc.label = context.label;";
    let edited = edit(function, context.clone(), r#"{"n":[1,2,3]}"#);
    let expected = r#"{"n":[4,6],"label":"x"}"#.as_bytes().to_vec();
    assert_eq!(edited, Ok(Edited::Changed(expected)));
    let edited = edit("context.label = 'y'", context, r#"{"n":1}"#);
    assert!(matches!(edited, Err(EditionError::Run(_))), "{edited:?}");
    assert!(failure("doc.x = context.least").contains("context"));
}

#[test]
fn every_script_ends() {
    let nested = format!("doc.x = {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    for endless in [
        "loop {}",
        "while true { doc.n += 1 }",
        "fn f(n) { f(n + 1) } f(0)",
        "fn f(n) { [f(n + 1)] } f(0)",
        "let s = \"x\"; loop { s += s; }",
        "let a = []; loop { a.push(1); }",
        "let m = #{}; let n = 0; loop { n += 1; m[`k${n}`] = n; }",
        "fn f(n) { let g = |m| f(m + 1); g.call(n) } f(0)",
        "let a = []; for n in 0..5000 { a = [a]; } doc.a = a",
        nested.as_str(),
    ] {
        let message = failure(endless);
        assert!(
            message.starts_with("Document edition runtime error"),
            "{message}"
        );
    }
}

#[test]
fn scripts_reach_nothing_outside() {
    for outside in [
        "import \"os\" as os;",
        "eval(\"1\")",
        "open_file(\"/etc/passwd\")",
        "timestamp()",
        "sleep(1)",
    ] {
        failure(outside);
    }
    let quiet = edit("print(doc); debug(doc)", None, r#"{"id":1}"#);
    assert_eq!(quiet, Ok(Edited::Unchanged));
}

#[test]
fn what_is_no_script_is_said_so() {
    assert!(check_function("doc.x = 1").is_ok());
    assert!(check_function("doc.price +").is_err());
    assert!(check_function(&"(".repeat(100_000)).is_err());
    assert!(failure("doc.price +").contains("while compiling the function: "));
    assert!(failure("doc.x = |n| n").contains("cannot be part of a document"));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[a-c]{1,2}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// A value that scripts have seen is known to be the same, and written back as it was.
    #[test]
    fn values_come_back_as_they_went(value in json_value()) {
        let script = to_script(&value);
        prop_assert!(is_same(&script, &value));
        let mut out = Vec::new();
        write(&script, Some(&value), &mut out).expect("JSON");
        let back: Value = serde_json::from_slice(&out).expect("JSON");
        prop_assert!(is_same(&to_script(&back), &value), "{back}");
    }
}
