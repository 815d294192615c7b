// SPDX-License-Identifier: MIT OR Apache-2.0
//! The composition: asks for the authorised shop, searches there, converts pounds to euros, and has purchases confirmed.

use gnomon_message::AdaptedMessage;

use crate::http::{CallError, Caller};
use crate::partner::Partner;
use crate::soap::{Envelope, element, field, leaf, nil};
use crate::user::TimeScale;

/// A category for which the composition reports a fault that no service reported.
pub(crate) const GLASSWARE: &str = "glassware";

/// Searches for a product.
pub(crate) async fn product(request: &AdaptedMessage, caller: &Caller, scale: TimeScale) -> Envelope {
    let user = field(request, "userid");
    let found = search(request, &user, caller, scale).await;
    found.unwrap_or_else(|(CallError::Refused(reason) | CallError::Failed(reason))| {
        Envelope::new("ProductFault", &[("userid", &user), ("reason", &reason)]).into_fault("no product")
    })
}

async fn search(
    request: &AdaptedMessage,
    user: &str,
    caller: &Caller,
    scale: TimeScale,
) -> Result<Envelope, CallError> {
    let (category, keyword) = (field(request, "category"), field(request, "keyword"));
    if category == GLASSWARE {
        return Err(CallError::Failed("glassware breaks".to_owned()));
    }
    let question = Envelope::new("GetProvidersRequest", &[("userid", user), ("category", &category)]);
    let providers = caller.call(Partner::PurchaseService, &question).await?;
    let provider = field(&providers, "AuthorisedProvidersResponseType/provider");
    let shop = [Partner::AmazonFR, Partner::AmazonUK].into_iter().find(|shop| shop.name() == provider);
    let Some(shop) = shop else { return Err(CallError::Failed(providers.name)) };
    let question = Envelope::new("itemSearchRequest", &[("userid", user), ("keyword", &keyword)]);
    let item = caller.call(shop, &question).await?;
    if shop == Partner::AmazonUK {
        let question = Envelope::new("CurrencyExchangeRequest", &[("userid", user), ("from", "GBP"), ("to", "EUR")]);
        caller.call(Partner::CurrencyExchange, &question).await?;
    }
    scale.wait(100).await;
    let title = field(&item, "item/title");
    let product = if title.is_empty() {
        leaf("EmptyResponseProduct", "nothing fits")
    } else {
        let (price, provider) = (leaf("price", &field(&item, "item/price")), leaf("provider", shop.name()));
        [nil("EmptyResponseProduct"), leaf("title", &title), price, provider].concat()
    };
    Ok(Envelope::new("GetProductResponse", &[("userid", user)]).with(&element("productOut", &product)))
}

/// Has a purchase confirmed.
pub(crate) async fn authorisation(request: &AdaptedMessage, caller: &Caller) -> Envelope {
    let user = field(request, "userid");
    let question = Envelope::new("PurchaseAuthorisationRequest", &[("userid", &user)]);
    let granted = match caller.call(Partner::PurchaseService, &question).await {
        Ok(answer) => field(&answer, "granted"),
        Err(_) => "false".to_owned(),
    };
    Envelope::new("GetAuthorisationResponse", &[("userid", &user), ("granted", &granted)])
}
