// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of routes.

use axum::http::Method;
use axum::routing::{delete, get, post, put};

use super::BodyKind::{Json, List, Nothing, Other};
use super::{ApiRoute, assist, catalogue, control, health, spec, state, stream, violations};
use crate::tokens::AccessRole::{Admin, Anyone, Read, Write};
use crate::{ingest, openapi};

const NDJSON: &str = "application/x-ndjson";

/// All routes of the API.
pub(crate) static ROUTES: &[ApiRoute] = &[
    ApiRoute::new(Method::POST, Write, "/api/v1/events", || post(ingest::http::events))
        .answers(
            Json("Receipt"),
            "Accepts events, all or none; responds once they are durable. Headers `Gnomon-Producer` \
             and `Gnomon-First` make them count once.",
        )
        .body(Other(NDJSON)),
    ApiRoute::new(Method::GET, Read, "/api/v1/producers/{producer}", || get(ingest::http::producer))
        .answers(Json("Producer"), "The number that the next event of a producer must have"),
    ApiRoute::new(Method::GET, Read, "/api/v1/status", || get(state::status))
        .answers(Json("Status"), "The state of the watch"),
    ApiRoute::new(Method::GET, Read, "/api/v1/properties", || get(state::properties))
        .answers(List("Property"), "The properties with their counts, in the order of the spec"),
    ApiRoute::new(Method::GET, Read, "/api/v1/properties/{name}/statistics", || get(state::statistics))
        .answers(List("Statistics"), "Numbers of a property over time, oldest first")
        .query(&[("from", "earliest time, in ms since 1970"), ("to", "before"), ("limit", "maximum number of rows, sampled evenly")]),
    ApiRoute::new(Method::GET, Read, "/api/v1/report", || get(state::report))
        .answers(Other("application/json"), "The report of `gnomon check --report json` on the events checked so far")
        .query(&[("end", "`prefix`: more may come; `complete`: nothing more comes")]),
    ApiRoute::new(Method::GET, Read, "/api/v1/export", || get(state::export))
        .answers(
            Other(NDJSON),
            "The events in the order of their evaluation, with the ticks of the clock that decided \
             something",
        )
        .query(&[("from", "begin with the event of this index"), ("token", "for clients that cannot set headers")]),
    ApiRoute::new(Method::GET, Read, "/api/v1/events", || get(state::events))
        .answers(List("Event"), "The last events that were checked, newest first")
        .query(&[
            ("limit", "maximum number, up to 1000"),
            ("before", "with a smaller index"),
            ("event", "of this name"),
            ("case", "of this case"),
            ("verdict", "`violated`: only those that showed a violation"),
            ("text", "with this text in the name or a field"),
        ]),
    ApiRoute::new(Method::GET, Read, "/api/v1/violations", || get(violations::list))
        .answers(Json("Violations"), "The violations, newest first")
        .query(&[
            ("property", "of this property"),
            ("case", "of this case"),
            ("group", "of this group"),
            ("severity", "of this severity"),
            ("from", "found at this time or later, in ms since 1970"),
            ("to", "found before"),
            ("before", "with a smaller number"),
            ("limit", "maximum number, up to 1000"),
        ]),
    ApiRoute::new(Method::GET, Read, "/api/v1/violations/{number}", || get(violations::one))
        .answers(Json("ViolationStory"), "A violation with its explanation"),
    ApiRoute::new(Method::GET, Read, "/api/v1/groups", || get(violations::groups))
        .answers(List("Group"), "Repeated violations as one"),
    ApiRoute::new(Method::GET, Read, "/api/v1/stream", || get(stream::stream))
        .answers(
            Other("text/event-stream"),
            "Violations, events, statistics and status as server-sent events; `Last-Event-ID` is the number of the last \
             violation seen",
        )
        .query(&[
            ("types", "a list of `violation`, `event`, `statistics`, `status`"),
            ("last", "instead of `Last-Event-ID`"),
            ("token", "for clients that cannot set headers"),
        ]),
    ApiRoute::new(Method::GET, Read, "/api/v1/blocks", || get(control::blocks))
        .answers(List("Block"), "Sessions that a critical violation has stopped"),
    ApiRoute::new(Method::DELETE, Admin, "/api/v1/blocks/{id}", || delete(control::release))
        .answers(Nothing, "Releases a session"),
    ApiRoute::new(Method::GET, Read, "/api/v1/mutes", || get(control::mutes))
        .answers(List("Mute"), "The properties and groups of violations that hooks are not notified of"),
    ApiRoute::new(Method::POST, Admin, "/api/v1/mutes", || post(control::add_mute))
        .answers(Json("Mute"), "Mutes a property or a group, for some time or permanently")
        .body(Json("NewMute")),
    ApiRoute::new(Method::DELETE, Admin, "/api/v1/mutes/{id}", || delete(control::remove_mute))
        .answers(Nothing, "Removes a mute"),
    ApiRoute::new(Method::GET, Read, "/api/v1/hooks", || get(control::hooks))
        .answers(List("Hook"), "The addresses that are notified of violations"),
    ApiRoute::new(Method::POST, Admin, "/api/v1/hooks", || post(control::add_hook))
        .answers(Json("Hook"), "Adds an address that is notified of violations")
        .body(Json("NewHook")),
    ApiRoute::new(Method::DELETE, Admin, "/api/v1/hooks/{id}", || delete(control::remove_hook))
        .answers(Nothing, "Removes a hook"),
    ApiRoute::new(Method::POST, Admin, "/api/v1/hooks/{id}/test", || post(control::test_hook))
        .answers(Json("HookTest"), "Calls a hook with no violations"),
    ApiRoute::new(Method::GET, Read, "/api/v1/spec", || get(spec::get)).answers(Json("Spec"), "The current spec"),
    ApiRoute::new(Method::PUT, Admin, "/api/v1/spec", || put(spec::put))
        .answers(Json("Replaced"), "Replaces the spec; properties that mean the same keep their state")
        .body(Json("SpecText")),
    ApiRoute::new(Method::POST, Read, "/api/v1/spec/check", || post(spec::check))
        .answers(Json("Checked"), "The errors of a spec, and its verdicts on the recent events")
        .body(Json("SpecText")),
    ApiRoute::new(Method::GET, Read, "/api/v1/catalogue", || get(catalogue::list))
        .answers(List("KnownEvent"), "The events that the spec declares or that were seen lately"),
    ApiRoute::new(Method::POST, Read, "/api/v1/catalogue", || post(catalogue::upload))
        .answers(Json("Catalogue"), "Reads a description of a service (WSDL, OpenAPI, AsyncAPI, BPEL) as events")
        .query(&[("name", "name of the document")])
        .body(Other("application/octet-stream")),
    ApiRoute::new(Method::POST, Read, "/api/v1/assist", || post(assist::assist))
        .answers(Json("Assist"), "The assistant's next question, or the property that the answers describe")
        .body(Json("Answers")),
    ApiRoute::new(Method::GET, Read, "/metrics", || get(state::metrics))
        .answers(Other("application/openmetrics-text"), "Numbers for Prometheus"),
    ApiRoute::new(Method::GET, Anyone, "/health/live", || get(health::live))
        .answers(Json("Alive"), "Liveness of the watch"),
    ApiRoute::new(Method::GET, Anyone, "/health/ready", || get(health::ready))
        .answers(Json("Ready"), "Status 200 if events are accepted, otherwise 503"),
    ApiRoute::new(Method::GET, Anyone, "/openapi.json", || get(openapi::json))
        .answers(Other("application/json"), "This description, for programs"),
    ApiRoute::new(Method::GET, Anyone, "/docs", || get(openapi::page))
        .answers(Other("text/html"), "This description, for people"),
];
