// SPDX-License-Identifier: MIT OR Apache-2.0
//! The services of the composition, with their callers and ports.

/// A service.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Partner {
    /// Returns the authorised shops and confirms purchases.
    PurchaseService,
    /// A shop with prices in euros.
    AmazonFR,
    /// A shop with prices in pounds.
    AmazonUK,
    /// Returns exchange rates.
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

    /// Returns the name of its caller.
    pub(crate) fn caller(self) -> &'static str {
        match self {
            Partner::ProductRetriever => "client",
            _ => Partner::ProductRetriever.name(),
        }
    }

    /// Returns its port, if the first service has this one.
    pub(crate) fn port(self, first: u16) -> u16 {
        first + self as u16
    }
}
