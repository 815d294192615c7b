// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kleene's three truth values.

/// Three-valued truth of a formula at a position. The order is that of the logic: `and` is the minimum, `or` the
/// maximum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Truth {
    /// False, whatever comes.
    False,
    /// The known part of the trace does not decide it.
    Unknown,
    /// True, whatever comes.
    True,
}

impl Truth {
    /// Returns true if the value is not [`Truth::Unknown`].
    pub fn is_definite(self) -> bool {
        self != Truth::Unknown
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Truth {
        if value { Truth::True } else { Truth::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;
    fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }
}
