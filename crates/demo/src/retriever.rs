// SPDX-License-Identifier: MIT OR Apache-2.0
//! The composition: it asks which shop one may buy from, searches there, changes pounds into euros, and has purchases confirmed.

use gnomon_trace::message::Message;

use crate::http::{CallError, Caller};
use crate::partner::Partner;
use crate::soap::{Envelope, field, leaf, nested, nil};
use crate::user::Pace;

/// A category at which the composition loses its nerve and tells of a fault that nobody told it of.
pub(crate) const GLASSWARE: &str = "glassware";

/// Why the composition has no answer.
struct Fault {
    reason: String,
}

impl From<CallError> for Fault {
    fn from(error: CallError) -> Fault {
        match error {
            CallError::Refused(reason) | CallError::Failed(reason) => Fault { reason },
        }
    }
}

/// Searches for a product.
pub(crate) async fn product(request: &Message, caller: &Caller, pace: Pace) -> Envelope {
    let user = field(request, "userid");
    let found = search(request, &user, caller, pace).await;
    found.unwrap_or_else(|Fault { reason }| {
        Envelope::new("ProductFault", &[("userid", &user), ("reason", &reason)]).into_fault("no product")
    })
}

async fn search(request: &Message, user: &str, caller: &Caller, pace: Pace) -> Result<Envelope, Fault> {
    let (category, keyword) = (field(request, "category"), field(request, "keyword"));
    if category == GLASSWARE {
        return Err(Fault { reason: "glassware breaks".to_owned() });
    }
    let question = Envelope::new("GetProvidersRequest", &[("userid", user), ("category", &category)]);
    let providers = caller.call(Partner::PurchaseService, &question).await?;
    let provider = field(&providers, "AuthorisedProvidersResponseType/provider");
    let shop = [Partner::AmazonFR, Partner::AmazonUK].into_iter().find(|shop| shop.name() == provider);
    let Some(shop) = shop else { return Err(Fault { reason: providers.name }) };
    let question = Envelope::new("itemSearchRequest", &[("userid", user), ("keyword", &keyword)]);
    let item = caller.call(shop, &question).await?;
    if shop == Partner::AmazonUK {
        let question = Envelope::new("CurrencyExchangeRequest", &[("userid", user), ("from", "GBP"), ("to", "EUR")]);
        caller.call(Partner::CurrencyExchange, &question).await?;
    }
    pace.wait(100).await;
    let title = field(&item, "item/title");
    let product = if title.is_empty() {
        leaf("EmptyResponseProduct", "nothing fits")
    } else {
        let price = field(&item, "item/price");
        format!(
            "{}{}{}{}",
            nil("EmptyResponseProduct"),
            leaf("title", &title),
            leaf("price", &price),
            leaf("provider", shop.name())
        )
    };
    Ok(Envelope::new("GetProductResponse", &[("userid", user)]).with(&nested("productOut", &product)))
}

/// Has a purchase confirmed.
pub(crate) async fn authorisation(request: &Message, caller: &Caller) -> Envelope {
    let user = field(request, "userid");
    let question = Envelope::new("PurchaseAuthorisationRequest", &[("userid", &user)]);
    let granted = match caller.call(Partner::PurchaseService, &question).await {
        Ok(answer) => field(&answer, "granted"),
        Err(_) => "false".to_owned(),
    };
    Envelope::new("GetAuthorisationResponse", &[("userid", &user), ("granted", &granted)])
}
