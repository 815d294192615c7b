// SPDX-License-Identifier: MIT OR Apache-2.0
//! The services of the composition, who calls each, and where.

/// A service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Partner {
    /// Knows which shops one may buy from, and confirms purchases.
    PurchaseService,
    /// A shop with prices in euros.
    AmazonFR,
    /// A shop with prices in pounds.
    AmazonUK,
    /// Knows the rates.
    CurrencyExchange,
    /// The composition, which calls all others.
    ProductRetriever,
}

impl Partner {
    pub(crate) const ALL: [Partner; 5] = [
        Partner::PurchaseService,
        Partner::AmazonFR,
        Partner::AmazonUK,
        Partner::CurrencyExchange,
        Partner::ProductRetriever,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Partner::PurchaseService => "PurchaseService",
            Partner::AmazonFR => "AmazonFR",
            Partner::AmazonUK => "AmazonUK",
            Partner::CurrencyExchange => "CurrencyExchange",
            Partner::ProductRetriever => "ProductRetriever",
        }
    }

    /// Who calls it.
    pub(crate) fn caller(self) -> &'static str {
        match self {
            Partner::ProductRetriever => "client",
            _ => Partner::ProductRetriever.name(),
        }
    }

    /// Its port, where the first has this one.
    pub(crate) fn port(self, first: u16) -> u16 {
        first + self as u16
    }
}
