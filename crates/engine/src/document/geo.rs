//! Reads the special field `_geo`: an object with `lat` and `lng`, numbers or numeric strings.

use serde_json::{Map, Value};

use super::DocumentError;
use super::raw_document::{JsonText, write_string};

/// Name of the field.
pub(crate) const GEO: &str = "_geo";
/// Names under which latitude and longitude are filtered as numbers.
pub(crate) const PARTS: [&str; 2] = ["_geo.lat", "_geo.lng"];

/// The form that nearly all values have: `{"lat":1.5,"lng":-2}`.
fn parse_usual(text: &str) -> Option<[f64; 2]> {
    let inner = text.strip_prefix("{\"lat\":")?.strip_suffix('}')?;
    let (lat, lng) = inner.split_once(',')?;
    Some([
        usual_number(lat)?,
        usual_number(lng.strip_prefix("\"lng\":")?)?,
    ])
}

/// A number of JSON; other values of JSON have other characters.
fn usual_number(text: &str) -> Option<f64> {
    let is_numeric = |byte: u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    let number: f64 = text.bytes().all(is_numeric).then(|| text.parse().ok())??;
    number.is_finite().then_some(number)
}

/// Latitude and longitude, or `None` when the value is `null`.
///
/// # Errors
/// When the value is anything else than an object with exactly two finite numbers.
pub(crate) fn parse(
    value: JsonText<'_>,
    external_id: &str,
) -> Result<Option<[f64; 2]>, DocumentError> {
    let text = value.get();
    match parse_usual(text) {
        Some(point) => Ok(Some(point)),
        None => parse_any(text, external_id),
    }
}

/// The same of coordinates that may be spelled otherwise or be wrong.
fn parse_any(text: &str, external_id: &str) -> Result<Option<[f64; 2]>, DocumentError> {
    let mut id = Vec::new();
    write_string(external_id, &mut id);
    let id = String::from_utf8_lossy(&id);
    let invalid = |message: String| DocumentError::InvalidGeo(message);
    let value: Value =
        serde_json::from_str(text).map_err(|error| DocumentError::Malformed(error.to_string()))?;
    let mut geo = match value {
        Value::Null => return Ok(None),
        Value::Object(geo) => geo,
        other => {
            return Err(invalid(format!(
                "The `_geo` field in the document with the id: `{id}` is not an object. Was \
                 expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got \
                 `{other}`."
            )));
        }
    };
    let missing = |what: &str, fields: &str| {
        invalid(format!(
            "Could not find {what} in the document with the id: `{id}`. Was expecting {fields}."
        ))
    };
    let (latitude, longitude) = match (geo.shift_remove("lat"), geo.shift_remove("lng")) {
        (Some(latitude), Some(longitude)) => (latitude, longitude),
        (None, None) => {
            return Err(missing(
                "latitude nor longitude",
                "`_geo.lat` and `_geo.lng` fields",
            ));
        }
        (None, Some(_)) => return Err(missing("latitude", "a `_geo.lat` field")),
        (Some(_), None) => return Err(missing("longitude", "a `_geo.lng` field")),
    };
    let point = match (finite(&latitude), finite(&longitude)) {
        (Some(latitude), Some(longitude)) => [latitude, longitude],
        (None, None) => {
            return Err(invalid(format!(
                "Could not parse latitude nor longitude in the document with the id: `{id}`. Was \
                 expecting finite numbers but instead got `{latitude}` and `{longitude}`."
            )));
        }
        (None, Some(_)) => return Err(invalid(not_finite("latitude", &id, &latitude))),
        (Some(_), None) => return Err(invalid(not_finite("longitude", &id, &longitude))),
    };
    no_more(&geo, &id).map_or(Ok(Some(point)), |message| Err(invalid(message)))
}

fn not_finite(what: &str, id: &str, value: &Value) -> String {
    format!(
        "Could not parse {what} in the document with the id: `{id}`. Was expecting a finite number \
         but instead got `{value}`."
    )
}

fn no_more(rest: &Map<String, Value>, id: &str) -> Option<String> {
    (!rest.is_empty()).then(|| {
        let rest = Value::Object(rest.clone());
        format!(
            "The `_geo` field in the document with the id: `{id}` contains the following \
             unexpected fields: `{rest}`."
        )
    })
}

fn finite(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<[f64; 2]>, String> {
        parse(JsonText::new_checked(text), "11").map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_and_numeric_strings_are_coordinates() {
        assert_eq!(read(r#"{"lat":1.5,"lng":"-2"}"#), Ok(Some([1.5, -2.0])));
        assert_eq!(read("null"), Ok(None));
        let twice = r#"{"lat":1,"lng":5,"lat":-0.25e1}"#;
        assert_eq!(read(twice), Ok(Some([-2.5, 5.0])));
        assert!(read("[1,2]").is_err());
    }

    proptest::proptest! {
        /// Numbers are what JSON says they are, to the last bit, however they are written.
        #[test]
        fn coordinates_are_those_of_json(
            numbers in proptest::array::uniform2("-?(0|[1-9][0-9]{0,19})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?"),
        ) {
            let [lat, lng] = &numbers;
            let expected = numbers.each_ref().map(|number| {
                serde_json::from_str::<f64>(number).expect("a number").to_bits()
            });
            let point = read(&format!("{{\"lat\":{lat},\"lng\":{lng}}}")).expect("a point");
            proptest::prop_assert_eq!(point.map(|point| point.map(f64::to_bits)), Some(expected));
        }
    }

    #[test]
    fn each_defect_has_its_message() {
        let cases = [
            (
                r#""foobar""#,
                r#"The `_geo` field in the document with the id: `"11"` is not an object. Was expecting an object with the `_geo.lat` and `_geo.lng` fields but instead got `"foobar"`."#,
            ),
            (
                "{}",
                r#"Could not find latitude nor longitude in the document with the id: `"11"`. Was expecting `_geo.lat` and `_geo.lng` fields."#,
            ),
            (
                r#"{"lng":1}"#,
                r#"Could not find latitude in the document with the id: `"11"`. Was expecting a `_geo.lat` field."#,
            ),
            (
                r#"{"lat":false,"lng":true}"#,
                r#"Could not parse latitude nor longitude in the document with the id: `"11"`. Was expecting finite numbers but instead got `false` and `true`."#,
            ),
            (
                r#"{"lat":"x","lng":1}"#,
                r#"Could not parse latitude in the document with the id: `"11"`. Was expecting a finite number but instead got `"x"`."#,
            ),
            (
                r#"{"lat":1,"lng":1,"doggo":"x"}"#,
                r#"The `_geo` field in the document with the id: `"11"` contains the following unexpected fields: `{"doggo":"x"}`."#,
            ),
        ];
        for (text, message) in cases {
            assert_eq!(read(text), Err(message.to_owned()));
        }
    }
}
