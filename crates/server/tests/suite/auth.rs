// SPDX-License-Identifier: MIT OR Apache-2.0
//! Access control: every route with every token, foreign host names, pages of other sites.

use gnomon_server::Tokens;

use crate::client::TestClient;
use crate::start::TestServer;

const FILE: &str = "read r-0123456789abcdef\nwrite w-0123456789abcdef\nadmin a-0123456789abcdef\n";
const TOKENS: [(&str, &str); 3] =
    [("read", "r-0123456789abcdef"), ("write", "w-0123456789abcdef"), ("admin", "a-0123456789abcdef")];

fn guarded() -> TestServer {
    TestServer::with(|_, options| {
        options.tokens = Tokens::parse(FILE).unwrap();
    })
}

#[test]
fn every_route_asks_for_the_token_that_its_description_names() {
    let server = guarded();
    let document = server.get("/openapi.json").json();
    let mut count = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let real =
            path.replace("{number}", "1").replace("{id}", "1").replace("{name}", "quiet").replace("{producer}", "p");
        // Its own tests read it; here nobody waits for its end.
        let real = if path == "/api/v1/stream" { "/api/v1/stream?types=x".to_owned() } else { real };
        for (method, operation) in methods.as_object().unwrap() {
            let needs = operation["security"][0]["token"][0].as_str();
            let method = method.to_ascii_uppercase();
            let status = |client: TestClient| client.request(&method, &real, b"{}").status;
            let rank = |role: Option<&str>| TOKENS.iter().position(|(known, _)| Some(*known) == role);
            assert_eq!(status(server.client()) == 401, needs.is_some(), "{method} {path} without a token");
            assert_eq!(
                status(server.client().token("wrong-0123456789")) == 401,
                needs.is_some(),
                "{method} {path} with a wrong token"
            );
            for (role, token) in TOKENS {
                let may = rank(Some(role)) >= rank(needs);
                assert_eq!(status(server.client().token(token)) != 403, may, "{method} {path} as {role}");
                count += 1;
            }
        }
    }
    assert!(count > 90, "{count}");
}

#[test]
fn a_token_may_stand_in_the_address_of_a_stream_and_nowhere_else() {
    let server = guarded();
    assert_eq!(server.get("/api/v1/stream?types=x&token=r-0123456789abcdef").status, 400);
    assert_eq!(server.get("/api/v1/stream?types=x&token=r%2D0123456789abcdef").status, 400);
    server.get("/api/v1/stream?token=wrong").problem(401);
    server.get("/api/v1/status?token=r-0123456789abcdef").problem(401);
}

#[test]
fn addresses_and_secrets_of_hooks_are_for_administrators() {
    let server = guarded();
    let hook = r#"{"url": "http://127.0.0.1:1/T0/secret-part", "secret": "signing-secret"}"#;
    let added = server.client().token("a-0123456789abcdef").post("/api/v1/hooks", hook);
    assert_eq!(added.status, 201, "{}", added.text());
    assert!(!added.text().contains("signing-secret"));
    for (role, token) in TOKENS {
        let hooks = server.client().token(token).get("/api/v1/hooks");
        assert_eq!((hooks.status, &hooks.json()[0]["signed"]), (200, &true.into()));
        assert_eq!(hooks.text().contains("secret-part"), role == "admin", "{role}: {}", hooks.text());
        assert_eq!(hooks.json()[0]["url"].is_null(), role != "admin");
        assert!(!hooks.text().contains("signing-secret"));
    }
}

#[test]
fn a_name_that_is_not_ours_is_refused() {
    let server = TestServer::with(|_, options| options.hosts = vec!["watch.example".to_owned()]);
    for good in ["localhost", "localhost:1234", "127.0.0.1", "[::1]:99", "LOCALHOST", "watch.example:80"] {
        assert_eq!(server.client().header("Host", good).get("/api/v1/status").status, 200, "{good}");
    }
    for bad in ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:80"] {
        server.client().header("Host", bad).get("/api/v1/status").problem(403);
    }
    server.client().header("Host", "localhost").header("Host", "evil.example").get("/api/v1/status").problem(400);
}

#[test]
fn pages_of_other_sites_change_nothing() {
    let server = TestServer::plain();
    let own = format!("http://{}", server.http());
    let mute = |name: &str, value: &str| server.client().header(name, value).post("/api/v1/mutes", "{}");
    mute("Origin", "http://evil.example").problem(403);
    mute("Origin", "null").problem(403);
    mute("Sec-Fetch-Site", "cross-site").problem(403);
    assert_eq!(mute("Origin", &own).status, 201);
    assert_eq!(mute("Sec-Fetch-Site", "same-origin").status, 201);
    // Reading is harmless: no page of another site can read the response.
    assert_eq!(server.client().header("Origin", "http://evil.example").get("/api/v1/status").status, 200);
    assert!(
        server
            .client()
            .header("Origin", "http://evil.example")
            .get("/api/v1/status")
            .header("access-control-allow-origin")
            .is_none()
    );
}
