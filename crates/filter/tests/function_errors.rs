//! Errors of geographic, vector and foreign filters, word for word and with their columns.

use serval_filter::parse;

/// Asserts the message and the columns of the error of `text`.
#[track_caller]
fn assert_error(text: &str, message: &str, columns: &str) {
    let error = parse(text).expect_err("the filter is refused");
    assert_eq!(error.to_string(), format!("{message}\n{columns} {text}"));
}

#[test]
fn geo_radius_has_a_form() {
    let form = "The `_geoRadius` filter must be in the form: `_geoRadius(latitude, longitude, \
        radius, optionalResolution)`.";
    for (text, columns) in [
        ("_geoRadius", "11:11"),
        ("_geoRadius = 12", "11:16"),
        ("_geoRadius()", "12:13"),
        ("_geoRadius('1', 2, 3)", "12:22"),
        ("_geoRadius(1, x, 3)", "13:20"),
        ("_geoRadius(1, 2, 3", "19:19"),
        ("_geoRadius(1, 2e, 3)", "17:21"),
        ("_geoRadius(-, 2, 3)", "13:20"),
    ] {
        assert_error(text, form, columns);
    }
    let arity =
        |n| format!("Was expecting 3 or 4 arguments for `_geoRadius`, but instead found {n}.");
    assert_error("_geoRadius(1, 2)", &arity(2), "17:17");
    assert_error(
        "a = 1 OR _geoRadius(1, 2, 3, 4, 5) OR b = 1",
        &arity(5),
        "35:44",
    );
}

#[test]
fn geo_bounding_box_has_a_form() {
    let form = "The `_geoBoundingBox` filter expects two pairs of arguments: \
        `_geoBoundingBox([latitude, longitude], [latitude, longitude])`.";
    for (text, columns) in [
        ("_geoBoundingBox", "16:16"),
        ("_geoBoundingBox()", "17:18"),
        ("_geoBoundingBox(1.0, 1.0)", "17:26"),
        ("_geoBoundingBox([1, 2])", "24:24"),
        ("_geoBoundingBox([x, 3], [50, 2])", "18:33"),
        ("_geoBoundingBox([1, 2], 3)", "23:27"),
    ] {
        assert_error(text, form, columns);
    }
    let text = "_geoBoundingBox([1, 2, 3], [4, 5])";
    assert_error(
        text,
        "Was expecting 2 coordinates but instead found 3.",
        "18:19",
    );
}

#[test]
fn geo_polygon_has_a_form() {
    let form = "The `_geoPolygon` filter doesn't match the expected format: \
        `_geoPolygon([latitude, longitude], [latitude, longitude])`.";
    for (text, columns) in [
        ("_geoPolygon()", "13:14"),
        ("_geoPolygon(1,2,3)", "13:19"),
        ("_geoPolygon([1,2)", "17:18"),
    ] {
        assert_error(text, form, columns);
    }
    let few = |n| {
        format!("The `_geoPolygon` filter expects at least 3 points but only {n} were specified")
    };
    assert_error("_geoPolygon([1,2,3])", &few(1), "18:19");
    assert_error("_geoPolygon([1,2],[3,4])", &few(2), "22:23");
    let text = "_geoPolygon([1,2],[1,2],[1,2,3])";
    assert_error(
        text,
        "Was expecting 2 coordinates but instead found 3.",
        "26:27",
    );
}

#[test]
fn reserved_geo_names_are_no_fields_and_no_values() {
    let reserved = |name: &str| {
        format!(
            "`{name}` is a reserved keyword and thus can't be used as a filter expression. Use the \
             `_geoRadius(latitude, longitude, distance)` or `_geoBoundingBox([latitude, \
             longitude], [latitude, longitude])` built-in rules to filter on `_geo` coordinates."
        )
    };
    assert_error("_geo = 3", &reserved("_geo"), "1:9");
    assert_error("_geo EXISTS", &reserved("_geo"), "1:12");
    assert_error("a <= _geo(1, 2, 3)", &reserved("_geo"), "6:19");
    assert_error("_geoPoint(1, 2)", &reserved("_geoPoint"), "1:16");
    assert_error("a = _geoDistance", &reserved("_geoDistance"), "5:17");
    assert!(parse("_geo.lat > 50").is_ok());
}

#[test]
fn geo_functions_are_no_values() {
    let misused =
        |name| format!("The `{name}` filter is an operation and can't be used as a value.");
    assert_error("a = _geoRadius", &misused("_geoRadius"), "5:15");
    assert_error("a <= _geoRadius(1, 2, 3)", &misused("_geoRadius"), "6:25");
    assert_error(
        "a IN [_geoBoundingBox]",
        &misused("_geoBoundingBox"),
        "7:23",
    );
}

#[test]
fn coordinates_must_be_finite() {
    let Ok(Some(serval_filter::Filter::GeoRadius { center, .. })) =
        parse("_geoRadius(1e999, 2, 3)")
    else {
        panic!("a circle");
    };
    let error = center[0]
        .finite_number()
        .expect_err("the number is too large");
    assert_eq!(
        error.to_string(),
        "Non finite floats are not supported\n12:17 _geoRadius(1e999, 2, 3)"
    );
    assert_eq!(center[1].finite_number().ok(), Some(2.0));
}

#[test]
fn vector_filters_are_explained_part_by_part() {
    let operation =
        "Was expecting an operation like `EXISTS` or `NOT EXISTS` after the vector filter.";
    let no_value = "Was expecting one of `.fragments`, `.userProvided`, `.documentTemplate`, \
        `.regenerate` or nothing, but instead found a point without a valid value.";
    let no_fragment = "The vector filter's fragment name is invalid.";
    for (text, message, columns) in [
        ("_vectors _vectors EXISTS", operation, "10:25"),
        ("_vectors .e EXISTS", operation, "10:19"),
        ("_vectors.e.fragments.f f EXISTS", operation, "24:32"),
        (
            "_vectors. e EXISTS",
            "Was expecting embedder name but found nothing.",
            "10:11",
        ),
        ("_vectors.e. EXISTS", no_value, "11:12"),
        ("_vectors.e.regenerate. EXISTS", no_value, "22:23"),
        (
            "_vectors.\"e EXISTS",
            "The quotes in one of the values are inconsistent.",
            "10:19",
        ),
        (
            "_vectors.\"e\"f EXISTS",
            "The vector filter has leftover tokens.",
            "13:21",
        ),
        (
            "_vectors.e.fragments EXISTS",
            "The vector filter is missing a fragment name.",
            "21:28",
        ),
        ("_vectors.e.fragments. EXISTS", no_fragment, "22:29"),
        (
            "_vectors.e.\"regenerate\" EXISTS",
            "Was expecting this part to be unquoted.",
            "13:23",
        ),
        (
            "_vectors.e.fargments.f EXISTS",
            "Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or \
             nothing, but instead found `fargments`. Did you mean `fragments`?",
            "12:21",
        ),
        (
            "_vectors.e.other EXISTS",
            "Was expecting one of `fragments`, `userProvided`, `documentTemplate`, `regenerate` or \
             nothing, but instead found `other`.",
            "12:17",
        ),
        (
            "_vectors.e.userProvided.fragments.f EXISTS",
            "Vector filter can only accept one of `fragments`, `userProvided`, `documentTemplate` \
             or `regenerate`, but found both `userProvided` and `fragments`.",
            "25:34",
        ),
    ] {
        assert_error(text, message, columns);
    }
    assert!(parse("_vectors = 3").is_ok());
    assert!(parse("_vectors.e IS NULL").is_ok());
}

#[test]
fn foreign_filters_hold_a_field_and_a_condition() {
    let expected = |shown| {
        format!(
            "Was expecting a field name and an condition inside `_foreign(..)` filter but instead \
             found `{shown}`."
        )
    };
    assert_error("_foreign(actors)", &expected(")"), "16:17");
    assert_error("_foreign actors", &expected(" actors"), "9:16");
    assert_error("_foreign(actors, born)", &expected("born)"), "18:23");
    assert_error("_foreign(actors, born > )", &expected(""), "25:25");
}
