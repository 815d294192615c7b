// SPDX-License-Identifier: MIT OR Apache-2.0
//! All routes in one table: router, access control and `OpenAPI` description are generated from it.

mod assist;
mod catalogue;
mod control;
mod extract;
mod health;
mod spec;
mod state;
mod stream;
mod table;
mod violations;

use axum::Router;
use axum::http::Method;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::MethodRouter;

use crate::app::App;
use crate::net::guard::guard;
use crate::problem::Problem;
use crate::tokens::AccessRole;
use crate::ui;

pub(crate) use state::all_properties;
pub(crate) use table::ROUTES;

/// A route of the API.
pub(crate) struct ApiRoute {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// Required role.
    pub(crate) role: AccessRole,
    /// Description in one sentence.
    pub(crate) summary: &'static str,
    /// Query parameters: name and meaning.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// Body of the request.
    pub(crate) body: BodyKind,
    /// Body of the response.
    pub(crate) answer: BodyKind,
    pub(crate) mount: fn() -> MethodRouter<App>,
}

impl ApiRoute {
    const fn new(method: Method, role: AccessRole, path: &'static str, mount: fn() -> MethodRouter<App>) -> ApiRoute {
        ApiRoute {
            method,
            path,
            role,
            summary: "",
            query: &[],
            body: BodyKind::Nothing,
            answer: BodyKind::Nothing,
            mount,
        }
    }

    const fn answers(mut self, answer: BodyKind, summary: &'static str) -> ApiRoute {
        (self.answer, self.summary) = (answer, summary);
        self
    }

    const fn query(mut self, query: &'static [(&'static str, &'static str)]) -> ApiRoute {
        self.query = query;
        self
    }

    const fn body(mut self, body: BodyKind) -> ApiRoute {
        self.body = body;
        self
    }
}

/// Content of a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BodyKind {
    Nothing,
    /// JSON with the schema of this name.
    Json(&'static str),
    /// A JSON list of this schema.
    List(&'static str),
    /// Other content, by media type.
    Other(&'static str),
}

/// Creates the router, with access control.
pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        router = router.route(route.path, (route.mount)());
    }
    router
        .fallback(ui::serve)
        .method_not_allowed_fallback(|| async {
            Problem::wrong_method("this path does not support this method; see /docs").into_response()
        })
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// Returns the role that a request needs.
pub(crate) fn role_of(method: &Method, path: &str) -> AccessRole {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let route = ROUTES.iter().find(|route| route.path == path && route.method == *method);
    // An unknown method is refused in any case; readers may know about it.
    route.map_or(AccessRole::Read, |route| route.role)
}
