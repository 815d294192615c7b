// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every route responds as described.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::HttpResponse;
use crate::schema::faults;
use crate::start::{SPEC, ServerFolder, TestServer, eventually, refunds};

/// A server whose responses are checked against its own description.
struct ApiDescription {
    server: TestServer,
    document: Value,
    asked: BTreeSet<(String, String)>,
}

impl ApiDescription {
    fn new(server: TestServer) -> ApiDescription {
        let document = server.get("/openapi.json").json();
        ApiDescription { server, document, asked: BTreeSet::new() }
    }

    /// Sends a request and checks the response. `path` is the path of the description, `real` the requested one.
    fn ask(&mut self, method: &str, path: &str, real: &str, body: &str) -> HttpResponse {
        let answer = self.server.client().request(method, real, body.as_bytes());
        let operation = &self.document["paths"][path][method.to_ascii_lowercase()];
        assert!(operation.is_object(), "{method} {path} is not described");
        self.asked.insert((method.to_owned(), path.to_owned()));
        let response = &operation["responses"][answer.status.to_string()];
        assert!(response.is_object(), "{method} {real}: {} is not described: {}", answer.status, answer.text());
        if let Some(schema) = response["content"]["application/json"].get("schema") {
            let found = faults(&self.document, schema, &answer.json(), path);
            assert!(found.is_empty(), "{method} {real}: {found:#?}\n{}", answer.text());
        }
        for (name, value) in [("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer")] {
            assert_eq!(answer.header(name), Some(value), "{method} {real}");
        }
        answer
    }

    fn get(&mut self, path: &str) -> HttpResponse {
        self.ask("GET", path.split('?').next().unwrap(), path, "")
    }
}

#[test]
fn every_route_answers_as_it_is_described() {
    let folder = ServerFolder::new();
    let mut api = ApiDescription::new(TestServer::with(|watch, _| {
        watch.store = Some(folder.0.clone());
        watch.by = None;
    }));
    let lines = "{\"event\": \"order\", \"id\": 1, \"time\": 1}\n{\"event\": \"refund\", \"time\": 2, \"source\": \"till\"}\n\
                 {\"event\": \"order\", \"id\": 2, \"time\": 9}\n";
    assert_eq!(api.ask("POST", "/api/v1/events", "/api/v1/events", lines).json()["accepted"], 3);
    api.server.wait_for_violations(2);
    api.server
        .client()
        .header("Gnomon-Producer", "till")
        .header("Gnomon-First", "1")
        .post("/api/v1/events", refunds(10..11));
    api.ask("GET", "/api/v1/producers/{producer}", "/api/v1/producers/till", "");
    api.server.wait_for_violations(3);

    let status = api.get("/api/v1/status").json();
    assert_eq!((&status["state"], &status["spec"]["properties"]), (&"running".into(), &2.into()));
    let properties = api.get("/api/v1/properties").json();
    assert_eq!(properties[0]["name"], "quiet");
    assert_eq!(properties[0]["violated"], 2);
    assert_eq!(properties[0]["muted"], false);
    assert!(properties[1]["english"].is_string(), "{properties}");
    let statistics = "/api/v1/properties/{name}/statistics";
    api.ask("GET", statistics, "/api/v1/properties/quiet/statistics?limit=10", "");
    api.server.get("/api/v1/properties/nobody/statistics").problem(404);
    let report = api.get("/api/v1/report").json();
    assert_eq!(report["traces"][0]["properties"][0]["violated"], 2, "{report}");
    api.get("/api/v1/report?end=complete");
    api.server.get("/api/v1/report?end=maybe").problem(400);
    assert_eq!(api.get("/api/v1/export").text().lines().filter(|line| line.contains("\"refund\"")).count(), 2);

    let events = api.get("/api/v1/events?limit=2&verdict=violated").json();
    assert_eq!(events[0]["event"], "refund", "{events}");
    api.server.get("/api/v1/events?limit=many").problem(400);
    let violations = api.get("/api/v1/violations?property=quiet&limit=1").json();
    let number = violations["violations"][0]["number"].as_u64().unwrap();
    assert_eq!(violations["next"], number);
    let explanation = api.ask("GET", "/api/v1/violations/{number}", &format!("/api/v1/violations/{number}"), "").json();
    assert!(!explanation["story"].as_array().unwrap().is_empty(), "{explanation}");
    api.server.get("/api/v1/violations/99999").problem(404);
    api.server.get("/api/v1/violations/first").problem(404);
    let groups = api.get("/api/v1/groups").json();
    assert!(groups.as_array().unwrap().iter().any(|group| group["count"] == 2), "{groups}");

    let blocks = api.get("/api/v1/blocks").json();
    let block = &blocks.as_array().unwrap().first().unwrap_or_else(|| panic!("nothing is blocked"))["id"];
    api.ask("DELETE", "/api/v1/blocks/{id}", &format!("/api/v1/blocks/{block}"), "");
    assert_eq!(api.get("/api/v1/blocks").json(), json!([]));
    api.server.client().request("DELETE", "/api/v1/blocks/77", b"").problem(404);

    decisions(&mut api);
    spec(&mut api);
    catalogue(&mut api);

    assert!(api.get("/metrics").text().contains("gnomon_property_violated_total{property=\"quiet\"} 2"));
    api.get("/health/live");
    api.get("/health/ready");
    api.get("/openapi.json");
    assert!(api.get("/docs").text().contains("/api/v1/violations"));

    // The stream has its own tests.
    api.asked.insert(("GET".to_owned(), "/api/v1/stream".to_owned()));
    let paths = api.document["paths"].as_object().unwrap().iter();
    let described: BTreeSet<(String, String)> = paths
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().keys().map(|method| (method.to_ascii_uppercase(), path.clone()))
        })
        .collect();
    assert_eq!(described.difference(&api.asked).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
}

fn decisions(api: &mut ApiDescription) {
    let mute = api.ask("POST", "/api/v1/mutes", "/api/v1/mutes", r#"{"property": "quiet", "reason": "known"}"#);
    assert_eq!(mute.status, 201);
    assert_eq!(api.get("/api/v1/mutes").json()[0]["property"], "quiet");
    assert_eq!(api.get("/api/v1/properties").json()[0]["muted"], true);
    api.ask("DELETE", "/api/v1/mutes/{id}", &format!("/api/v1/mutes/{}", mute.json()["id"]), "");
    assert_eq!(api.get("/api/v1/mutes").json(), json!([]));
    api.server.client().request("DELETE", "/api/v1/mutes/77", b"").problem(404);
    api.server.client().post("/api/v1/mutes", r#"{"colour": "red"}"#).problem(400);

    let hook = r#"{"url": "http://127.0.0.1:9/x", "severity": "high", "secret": "s3cret"}"#;
    let hook = api.ask("POST", "/api/v1/hooks", "/api/v1/hooks", hook);
    assert!(hook.status == 201 && !hook.text().contains("s3cret"), "{}", hook.text());
    let id = hook.json()["id"].clone();
    assert_eq!(api.get("/api/v1/hooks").json()[0]["signed"], true);
    let test = api.ask("POST", "/api/v1/hooks/{id}/test", &format!("/api/v1/hooks/{id}/test"), "").json();
    assert_eq!(test["delivered"], false);
    api.ask("DELETE", "/api/v1/hooks/{id}", &format!("/api/v1/hooks/{id}"), "");
    for wrong in [r#"{"url": "ftp://x"}"#, r#"{"url": "x"}"#, r#"{"url": "http://x", "severity": "awful"}"#] {
        api.server.client().post("/api/v1/hooks", wrong).problem(422);
    }
}

fn spec(api: &mut ApiDescription) {
    assert_eq!(api.get("/api/v1/spec").json()["text"], SPEC);
    let check = |text: &str| json!({ "text": text }).to_string();
    let checked = api.ask("POST", "/api/v1/spec/check", "/api/v1/spec/check", &check(SPEC)).json();
    assert!(checked["dry_run"].is_array(), "{checked}");
    let wrong = "mtl one { G ( }\n";
    let checked = api.ask("POST", "/api/v1/spec/check", "/api/v1/spec/check", &check(wrong)).json();
    assert_eq!(
        (&checked["diagnostics"][0]["severity"], &checked["diagnostics"][0]["line"]),
        (&"error".into(), &1.into())
    );
    assert_eq!(checked["dry_run"], Value::Null);
    let refused = api.server.client().request("PUT", "/api/v1/spec", check(wrong).as_bytes());
    assert!(refused.problem(422).contains("the spec is unchanged"));
    assert!(refused.json()["diagnostics"][0]["code"].is_string());
    let more = format!("{SPEC}mtl more {{ G !alarm }}\n");
    let replaced = api.ask("PUT", "/api/v1/spec", "/api/v1/spec", &check(&more)).json();
    assert_eq!((&replaced["kept"], &replaced["begun"]), (&json!(["quiet", "paid"]), &json!(["more"])), "{replaced}");
    assert_eq!(api.get("/api/v1/spec").json()["revision"], replaced["revision"]);
    // Outcomes of properties may be some hundred milliseconds old.
    eventually("the new property", || api.server.get("/api/v1/properties").json()[2]["english"].is_string());
}

fn catalogue(api: &mut ApiDescription) {
    let known = api.get("/api/v1/catalogue").json();
    assert!(known.as_array().unwrap().iter().any(|event| event["name"] == "refund" && event["count"] == 2), "{known}");
    let bpel = r#"<process xmlns="http://docs.oasis-open.org/wsbpel/2.0/process/executable" name="Shop">
        <sequence><receive partnerLink="client" operation="order" variable="in"/></sequence></process>"#;
    let read = api.ask("POST", "/api/v1/catalogue", "/api/v1/catalogue?name=shop.bpel", bpel).json();
    assert_eq!(read["events"][0]["name"], "order");
    assert!(read["spec"].as_str().unwrap().contains("event order"));
    api.server.client().post("/api/v1/catalogue", "no document").problem(422);
    api.server.client().post("/api/v1/catalogue", b"\xff\xfe").problem(422);

    let first = api.ask("POST", "/api/v1/assist", "/api/v1/assist", "{}").json();
    assert_eq!(first["question"]["kind"], "choice");
    let replies = ["both", "open", "close", "first", "needed", "one", "write", "never", "no", "brief"];
    let mut answers: Vec<Value> = Vec::new();
    let mut answer = first;
    for reply in replies {
        answers.push(json!({ "question": answer["question"]["id"], "answer": reply }));
        answer = api.ask("POST", "/api/v1/assist", "/api/v1/assist", &json!({ "answers": answers }).to_string()).json();
    }
    assert_eq!(answer["question"], Value::Null);
    assert!(answer["property"]["text"].as_str().unwrap().contains("pattern brief"), "{answer}");
    for part in ["english", "mtl", "mu", "svg", "accepts", "rejects"] {
        assert!(answer["property"][part].is_string(), "{part}: {answer}");
    }
    let wrong = json!({ "answers": [{ "question": "interval", "answer": "sometimes" }] }).to_string();
    let refused = api.server.client().post("/api/v1/assist", wrong);
    refused.problem(422);
    assert_eq!(refused.json()["question"], "interval");
}

#[test]
fn what_is_not_there_is_a_problem() {
    let server = TestServer::plain();
    server.get("/api/v1/nothing").problem(404);
    server.get("/../etc/passwd").problem(404);
    server.client().request("DELETE", "/api/v1/status", b"").problem(405);
    server.client().post("/api/v1/spec/check", "{").problem(400);
    server.get("/api/v1/export").problem(409);
}

#[test]
fn the_front_page_is_the_dashboard_or_says_how_to_build_it() {
    let server = TestServer::plain();
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'self'"));
    if gnomon_server::has_dashboard() {
        let tag = page.header("etag").unwrap();
        assert_eq!(server.client().header("If-None-Match", tag).get("/").status, 304);
        let packed = server.client().header("Accept-Encoding", "br, gzip").get("/");
        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        let mut plain = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed.body[..]), &mut plain).unwrap();
        assert_eq!(plain, page.body);
    } else {
        assert!(page.text().contains("npm ci"));
    }
}
