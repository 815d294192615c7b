// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each service answers. How well depends on what it is asked for, so that a user can make things go wrong.

use gnomon_trace::message::Message;

use crate::http::Caller;
use crate::partner::Partner;
use crate::retriever;
use crate::soap::{Envelope, field, leaf, nested};
use crate::user::Pace;

/// A keyword that fits so many products that the British shop takes its time.
pub(crate) const EVERYTHING: &str = "everything";
/// A keyword that fits no product.
pub(crate) const NOTHING: &str = "nothing";
/// A category that no shop may sell.
pub(crate) const UNICORNS: &str = "unicorns";

/// The answer of a service to a message.
pub(crate) async fn answer(partner: Partner, message: &Message, caller: &Caller, pace: Pace) -> Envelope {
    let user = field(message, "userid");
    match (partner, message.name.as_str()) {
        (Partner::PurchaseService, "GetProvidersRequest") => providers(&user, &field(message, "category")),
        (Partner::PurchaseService, "PurchaseAuthorisationRequest") => {
            Envelope::new("PurchaseAuthorisationResponse", &[("userid", &user), ("granted", "true")])
        }
        (Partner::AmazonFR, "itemSearchRequest") => {
            pace.wait(300).await;
            found(&user, &field(message, "keyword"), "EUR")
        }
        (Partner::AmazonUK, "itemSearchRequest") => {
            let keyword = field(message, "keyword");
            pace.wait(if keyword == EVERYTHING { 3_000 } else { 400 }).await;
            found(&user, &keyword, "GBP")
        }
        (Partner::CurrencyExchange, "CurrencyExchangeRequest") => {
            Envelope::new("CurrencyExchangeResponse", &[("userid", &user), ("rate", "1.17")])
        }
        (Partner::ProductRetriever, "GetProductRequest") => retriever::product(message, caller, pace).await,
        (Partner::ProductRetriever, "GetAuthorisationRequest") => retriever::authorisation(message, caller).await,
        (_, other) => {
            let reason = format!("{} does not know `{other}`", partner.name());
            Envelope::new("UnknownOperation", &[("operation", other)]).into_fault(&reason)
        }
    }
}

/// Which shop one may buy from.
fn providers(user: &str, category: &str) -> Envelope {
    let shop = match category {
        UNICORNS => {
            let fault = Envelope::new("ProviderFault", &[("userid", user), ("category", category)]);
            return fault.into_fault("no shop may sell this");
        }
        "hardware" => Partner::AmazonUK,
        _ => Partner::AmazonFR,
    };
    let provider = nested("AuthorisedProvidersResponseType", &leaf("provider", shop.name()));
    Envelope::new("GetProvidersResponse", &[("userid", user)]).with(&provider)
}

/// What a shop has.
fn found(user: &str, keyword: &str, currency: &str) -> Envelope {
    let envelope = Envelope::new("itemSearchResponse", &[("userid", user)]);
    if keyword == NOTHING {
        return envelope;
    }
    let price = format!("{}.50", 10 + keyword.len());
    envelope.with(&nested(
        "item",
        &format!("{}{}{}", leaf("title", keyword), leaf("price", &price), leaf("currency", currency)),
    ))
}
