// SPDX-License-Identifier: MIT OR Apache-2.0
//! The `OpenAPI` description, generated from the table of routes, and a page that displays it. The schemas are
//! written by hand; a test checks every response against them.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use gnomon::escape;
use serde_json::{Map, Value, json};

use crate::routes::{ApiRoute, BodyKind, ROUTES};
use crate::tokens::AccessRole;

static DOCUMENT: LazyLock<String> = LazyLock::new(|| document().to_string());
static PAGE: LazyLock<String> = LazyLock::new(drawn);

pub(crate) async fn json() -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], DOCUMENT.as_str()).into_response()
}

pub(crate) async fn page() -> Html<&'static str> {
    Html(PAGE.as_str())
}

fn schemas() -> Value {
    serde_json::from_str(include_str!("openapi/schemas.json")).unwrap_or_default()
}

fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Gnomon",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The API of a watch. Errors are problem documents (RFC 9457).",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(route: &ApiRoute) -> Value {
    let in_path = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path =
        in_path.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let in_query = route.query.iter().map(|(name, meaning)| {
        json!({ "name": name, "in": "query", "required": false, "description": meaning, "schema": { "type": "string" } })
    });
    let parameters: Vec<Value> = in_path.chain(in_query).collect();
    let problem = json!({
        "description": "A problem",
        "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    });
    let (status, description) = match (route.answer, &route.method) {
        (BodyKind::Nothing, _) => ("204", "Done"),
        (BodyKind::Json("Mute" | "Hook"), &axum::http::Method::POST) => ("201", "Added"),
        _ => ("200", "The answer"),
    };
    let mut answer = json!({ "description": description });
    if let Some(content) = content(route.answer) {
        answer["content"] = content;
    }
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": parameters,
        "responses": { status: answer, "default": problem },
    });
    if let Some(content) = content(route.body) {
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    if route.role != AccessRole::Anyone {
        operation["security"] = json!([{ "token": [route.role.word()] }]);
    }
    operation
}

/// Returns an id such as `get_api_v1_violations_number`.
fn operation_id(route: &ApiRoute) -> String {
    let words = route.path.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(route.method.as_str().to_ascii_lowercase(), |id, word| id + "_" + word)
}

fn content(content: BodyKind) -> Option<Value> {
    let named = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    match content {
        BodyKind::Nothing => None,
        BodyKind::Json(name) => Some(json!({ "application/json": { "schema": named(name) } })),
        BodyKind::List(name) => {
            Some(json!({ "application/json": { "schema": { "type": "array", "items": named(name) } } }))
        }
        BodyKind::Other(media) => Some(json!({ media: {} })),
    }
}

/// Renders the description as a page without scripts.
fn drawn() -> String {
    let mut out = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Gnomon: the API</title><style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
         padding:0 1rem;color-scheme:light dark}code,pre{font:14px ui-monospace,monospace;overflow-wrap:anywhere}\
         pre{overflow:auto;border:1px solid #8888;padding:.5rem}section{border-top:1px solid #8888}\
         dt{font-weight:600}</style><h1>The API of this watch</h1>\
         <p>The same for programs: <a href=\"/openapi.json\">openapi.json</a>. Errors are problem documents.</p>",
    );
    let schemas = schemas();
    for route in ROUTES {
        let role = match route.role {
            AccessRole::Anyone => "no token needed".to_owned(),
            role => format!("token for <code>{}</code>", role.word()),
        };
        let _ = write!(
            out,
            "<section><h2><code>{} {}</code></h2><p>{} <small>({role})</small></p>",
            route.method,
            escape::xml(route.path),
            marked(route.summary),
        );
        if !route.query.is_empty() {
            out.push_str("<dl>");
            for (name, meaning) in route.query {
                let _ = write!(out, "<dt><code>{name}</code></dt><dd>{}</dd>", marked(meaning));
            }
            out.push_str("</dl>");
        }
        for (word, content) in [("Body", route.body), ("Answer", route.answer)] {
            let (kind, name) = match content {
                BodyKind::Nothing => continue,
                BodyKind::Other(media) => (media.to_owned(), None),
                BodyKind::Json(name) => (name.to_owned(), Some(name)),
                BodyKind::List(name) => (format!("a list of {name}"), Some(name)),
            };
            let _ = write!(out, "<details><summary>{word}: {}</summary>", escape::xml(&kind));
            if let Some(schema) = name.and_then(|name| schemas.get(name)) {
                let _ = write!(out, "<pre>{}</pre>", escape::xml(&format!("{schema:#}")));
            }
            out.push_str("</details>");
        }
        out.push_str("</section>");
    }
    out.push_str("</html>");
    out
}

/// Renders text between backquotes as code.
fn marked(text: &str) -> String {
    let parts = escape::xml(text);
    let parts = parts.split('`').enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { format!("<code>{part}</code>") } else { part.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_route_is_described_and_every_schema_is_there_and_used() {
        let document = document();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let mut used = BTreeSet::from(["Problem"]);
        for route in ROUTES {
            let operation = &document["paths"][route.path][route.method.as_str().to_ascii_lowercase()];
            assert_eq!(operation["summary"], route.summary, "{} {}", route.method, route.path);
            for content in [route.body, route.answer] {
                if let BodyKind::Json(name) | BodyKind::List(name) = content {
                    assert!(schemas.contains_key(name), "no schema {name}");
                    used.insert(name);
                }
            }
        }
        let text = document["components"]["schemas"].to_string();
        for name in schemas.keys() {
            assert!(used.contains(name.as_str()) || text.contains(&format!("schemas/{name}\"")), "{name} is not used");
        }
    }

    #[test]
    fn no_two_routes_are_the_same() {
        let ids: BTreeSet<String> = ROUTES.iter().map(operation_id).collect();
        assert_eq!(ids.len(), ROUTES.len());
    }

    #[test]
    fn the_page_has_every_route() {
        let page = drawn();
        assert!(ROUTES.iter().all(|route| page.contains(&format!("{} {}</code>", route.method, route.path))));
        assert!(!page.contains("<script"));
    }
}
