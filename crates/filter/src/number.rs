//! Numbers of geographic filters.

use crate::error::Fault;
use crate::{FilterError, Word};

impl Word {
    /// The word as a finite number.
    ///
    /// # Errors
    /// When it is not a number, or one too large for a double; the error points at the word.
    pub fn finite_number(&self) -> Result<f64, FilterError> {
        let error = |fault| FilterError::new(&fault, &self.shared_source(), &self.range());
        match self.text().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(error(Fault::NumberNotFinite)),
            Err(why) => Err(error(Fault::NumberUnreadable(why.to_string()))),
        }
    }
}
