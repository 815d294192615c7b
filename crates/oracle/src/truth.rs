// SPDX-License-Identifier: MIT OR Apache-2.0
//! Kleene's three truth values.

/// What is known of a formula at a position. The order is that of the logic: `and` is the minimum, `or` the maximum.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Truth {
    /// False, whatever comes.
    False,
    /// What has been seen does not tell.
    Unknown,
    /// True, whatever comes.
    True,
}

impl Truth {
    /// Whether it is known.
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
