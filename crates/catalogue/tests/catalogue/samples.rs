// SPDX-License-Identifier: MIT OR Apache-2.0
//! The samples that ship: what is read from them, and that the declarations are a spec without a fault.

use std::fs;
use std::path::Path;

use gnomon_catalogue::{Catalogue, DataType, DocumentKind, declarations, detect, read};

use crate::declared;

fn sample(name: &str, kind: DocumentKind) -> Catalogue {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/catalogue").join(name);
    let text = fs::read_to_string(path).unwrap();
    let catalogue = read(name, &text).unwrap();
    assert_eq!((catalogue.kind, detect(text.as_bytes())), (kind, Some(kind)), "{name}");
    catalogue
}

#[test]
fn wsdl() {
    let catalogue = sample("product-retriever.wsdl", DocumentKind::Wsdl);
    assert_eq!(catalogue.notes, []);
    assert_eq!(
        declared(&catalogue),
        [
            "event GetProductRequest(firstName, lastName, keyword, maxPrice, session) = GetProductRequest[user/firstName as firstName, \
             user/lastName as lastName, @session as session] from client to ProductRetriever",
            "event GetProductResponse from ProductRetriever to client",
            "event ProductFault(reason) from ProductRetriever to client",
            "event GetAuthorisationRequest(firstName, lastName, total, currency) = GetAuthorisationRequest[user/firstName as firstName, \
             user/lastName as lastName, total/\"#text\" as total, total/@currency as currency] from client to ProductRetriever",
            "event GetAuthorisationResponse(text) = GetAuthorisationResponse[\"#text\" as text] from ProductRetriever to client",
        ]
    );
    let text = declarations(&catalogue);
    assert!(text.starts_with(
        "# product-retriever.wsdl: 5 messages (WSDL)\n\n# Searches the shops that the user may buy from.\n"
    ));
    assert!(text.contains("# sometimes: user/department, category\nevent GetProductRequest("), "{text}");
    let request = &catalogue.events[0];
    let data: Vec<DataType> = request.fields.iter().map(|field| field.data).collect();
    assert_eq!(
        data,
        [
            DataType::Text,
            DataType::Text,
            DataType::Text,
            DataType::List,
            DataType::Number,
            DataType::Text,
            DataType::Text
        ]
    );
    assert_eq!((request.location.line, request.location.column), (82, 7));
}

#[test]
fn openapi() {
    let catalogue = sample("currency-exchange.yaml", DocumentKind::OpenApi);
    assert_eq!(catalogue.notes, []);
    assert_eq!(
        declared(&catalogue),
        [
            "event getCurrencyRate(\"from\", \"to\") from client to CurrencyExchange",
            "event getCurrencyRateResponse from CurrencyExchange to client",
            "event convert(value, currency, \"to\") = convert[amount/value as value, amount/currency as currency] \
             from client to CurrencyExchange",
            "event convertResponse(value, currency) from CurrencyExchange to client",
            "event \"GET /health\" from client to CurrencyExchange",
            "event \"GET /health response\" from CurrencyExchange to client",
        ]
    );
    assert_eq!(catalogue.events[1].text.as_deref(), Some("answers getCurrencyRate: 200, 404"));
}

#[test]
fn asyncapi_of_both_versions() {
    let second = sample("purchases.yaml", DocumentKind::AsyncApi);
    assert_eq!(second.notes, []);
    assert_eq!(
        declared(&second),
        [
            "event PurchaseConfirmed(id, total) = PurchaseConfirmed[user/id as id] from ProductRetriever to \"purchases/confirmed\"",
            "event OfferMade(offer, until) from ProductRetriever to offers",
            "event OfferExpired(offer) from ProductRetriever to offers",
            "event PriceChanged(shop, product) from \"prices/changed\" to ProductRetriever",
        ]
    );
    let third = sample("deliveries.yaml", DocumentKind::AsyncApi);
    assert_eq!(third.notes, []);
    assert_eq!(
        declared(&third),
        [
            "event OrderPlaced(order) from shop.orders to Deliveries",
            "event ParcelSent(order, parcel) from Deliveries to shop.parcels",
            "event AuditRecord",
        ]
    );
}

#[test]
fn bpel() {
    let catalogue = sample("product-retriever.bpel", DocumentKind::Bpel);
    assert_eq!(
        declared(&catalogue),
        [
            "event ProductFault from ProductRetriever to client",
            "event GetProductRequest from client to ProductRetriever",
            "event getProviders from ProductRetriever to PurchaseService",
            "event getProvidersResponse from PurchaseService to ProductRetriever",
            "event itemSearch",
            "event itemSearchResponse",
            "event currencyExchange(amount, currency) from ProductRetriever to CurrencyExchange",
            "event currencyExchangeResponse(euros) from CurrencyExchange to ProductRetriever",
            "event GetProductResponse from ProductRetriever to client",
            "event GetAuthorisationRequest from client to ProductRetriever",
            "event GetAuthorisationResponse from ProductRetriever to client",
        ]
    );
    assert_eq!(catalogue.notes.len(), 2);
    assert!(catalogue.notes[0].text.starts_with("`itemSearch` has other participants here"), "{:?}", catalogue.notes);
    assert_eq!(catalogue.notes[0].location.line, 34);
}
