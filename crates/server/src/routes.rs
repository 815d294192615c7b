// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every route, in one table: the router, who may use it and the `OpenAPI` page are all made from it.

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
use crate::tokens::Role;
use crate::ui;

pub(crate) use state::all_properties;
pub(crate) use table::ROUTES;

/// One thing that can be asked for.
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    /// Who may ask.
    pub(crate) role: Role,
    /// What it is, in a sentence.
    pub(crate) summary: &'static str,
    /// What may stand behind the question mark: name and meaning.
    pub(crate) query: &'static [(&'static str, &'static str)],
    /// What is sent with it.
    pub(crate) body: Content,
    /// What comes back.
    pub(crate) answer: Content,
    pub(crate) mount: fn() -> MethodRouter<App>,
}

/// What a body is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    Nothing,
    /// JSON of the schema of this name.
    Json(&'static str),
    /// A list of such.
    List(&'static str),
    /// Something else, by its media type.
    Other(&'static str),
}

/// All routes, behind the guard.
pub(crate) fn router(app: App) -> Router {
    let mut router = Router::new();
    for route in ROUTES {
        router = router.route(route.path, (route.mount)());
    }
    router
        .fallback(ui::serve)
        .method_not_allowed_fallback(|| async {
            Problem::new(
                axum::http::StatusCode::METHOD_NOT_ALLOWED,
                "method",
                "this cannot be done here",
                "there is something under this path, but not with this method; see /docs",
            )
            .into_response()
        })
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

/// Who may use a path with a method.
pub(crate) fn role_of(method: &Method, path: &str) -> Role {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let route = ROUTES.iter().find(|route| route.path == path && route.method == *method);
    // A method that is not there is refused anyway; nobody needs to know before they may read.
    route.map_or(Role::Read, |route| route.role)
}
