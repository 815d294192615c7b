// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answers of the services. Certain keywords and categories make them slow or fail, so that users can provoke violations.

use gnomon_message::AdaptedMessage;

use crate::http::Caller;
use crate::partner::Partner;
use crate::retriever;
use crate::soap::{Envelope, element, field, leaf};
use crate::user::TimeScale;

/// A keyword with many results, for which the British shop is slow.
pub(crate) const EVERYTHING: &str = "everything";
/// A keyword without results.
pub(crate) const NOTHING: &str = "nothing";
/// A category without an authorised shop.
pub(crate) const UNICORNS: &str = "unicorns";

/// Returns the answer of a service to a message.
pub(crate) async fn answer(partner: Partner, message: &AdaptedMessage, caller: &Caller, scale: TimeScale) -> Envelope {
    let user = field(message, "userid");
    match (partner, message.name.as_str()) {
        (Partner::PurchaseService, "GetProvidersRequest") => providers(&user, &field(message, "category")),
        (Partner::PurchaseService, "PurchaseAuthorisationRequest") => {
            Envelope::new("PurchaseAuthorisationResponse", &[("userid", &user), ("granted", "true")])
        }
        (Partner::AmazonFR, "itemSearchRequest") => {
            scale.wait(300).await;
            search_result(&user, &field(message, "keyword"), "EUR")
        }
        (Partner::AmazonUK, "itemSearchRequest") => {
            let keyword = field(message, "keyword");
            scale.wait(if keyword == EVERYTHING { 3_000 } else { 400 }).await;
            search_result(&user, &keyword, "GBP")
        }
        (Partner::CurrencyExchange, "CurrencyExchangeRequest") => {
            Envelope::new("CurrencyExchangeResponse", &[("userid", &user), ("rate", "1.17")])
        }
        (Partner::ProductRetriever, "GetProductRequest") => retriever::product(message, caller, scale).await,
        (Partner::ProductRetriever, "GetAuthorisationRequest") => retriever::authorisation(message, caller).await,
        (_, other) => {
            let reason = format!("{} does not know `{other}`", partner.name());
            Envelope::new("UnknownOperation", &[("operation", other)]).into_fault(&reason)
        }
    }
}

/// Returns the authorised shop of a category.
fn providers(user: &str, category: &str) -> Envelope {
    let shop = match category {
        UNICORNS => {
            let fault = Envelope::new("ProviderFault", &[("userid", user), ("category", category)]);
            return fault.into_fault("no shop may sell this");
        }
        "hardware" => Partner::AmazonUK,
        _ => Partner::AmazonFR,
    };
    let provider = element("AuthorisedProvidersResponseType", &leaf("provider", shop.name()));
    Envelope::new("GetProvidersResponse", &[("userid", user)]).with(&provider)
}

/// Returns the search result of a shop.
fn search_result(user: &str, keyword: &str, currency: &str) -> Envelope {
    let envelope = Envelope::new("itemSearchResponse", &[("userid", user)]);
    if keyword == NOTHING {
        return envelope;
    }
    let price = format!("{}.50", 10 + keyword.len());
    let item = [leaf("title", keyword), leaf("price", &price), leaf("currency", currency)].concat();
    envelope.with(&element("item", &item))
}
