// SPDX-License-Identifier: MIT OR Apache-2.0
//! SOAP over HTTP: server and client.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gnomon_message::AdaptedMessage;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Incoming};
use hyper::header::CONTENT_TYPE;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::partner::Partner;
use crate::services;
use crate::soap::{self, Envelope};
use crate::user::TimeScale;

const XML: &str = "text/xml; charset=utf-8";

/// Largest message in bytes.
const MAX_MESSAGE: usize = 1 << 20;

/// Answers the calls to a service.
pub(crate) async fn serve(listener: TcpListener, partner: Partner, caller: Arc<Caller>, scale: TimeScale) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let caller = Arc::clone(&caller);
        let service = service_fn(move |request| {
            let caller = Arc::clone(&caller);
            async move { Ok::<_, Infallible>(answer(partner, request, &caller, scale).await) }
        });
        tokio::spawn(async move {
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service);
            // A broken connection does not affect the others.
            let _ = connection.await;
        });
    }
}

async fn answer(
    partner: Partner,
    request: Request<Incoming>,
    caller: &Caller,
    scale: TimeScale,
) -> Response<Full<Bytes>> {
    let message = match text(request.into_body()).await.and_then(|text| soap::read(&text)) {
        Ok(message) => message,
        Err(reason) => return response(StatusCode::BAD_REQUEST, reason, "text/plain; charset=utf-8"),
    };
    let envelope = services::answer(partner, &message, caller, scale).await;
    let status = if envelope.is_fault { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::OK };
    response(status, envelope.text(), XML)
}

fn response(status: StatusCode, text: String, content_type: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(content_type));
    response
}

async fn text<B>(body: B) -> Result<String, String>
where
    B: Body<Data = Bytes, Error = hyper::Error>,
{
    let body = Limited::new(body, MAX_MESSAGE).collect().await.map_err(|error| error.to_string())?;
    String::from_utf8(body.to_bytes().to_vec()).map_err(|error| error.to_string())
}

/// The client side: calls services.
pub(crate) struct Caller {
    client: Client<HttpConnector, Full<Bytes>>,
    first: u16,
}

/// Reason why a call has no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CallError {
    /// A proxy refuses the session.
    Refused(String),
    /// The call failed otherwise.
    Failed(String),
}

impl Caller {
    /// Creates a client for services whose ports start at this one.
    pub(crate) fn new(first: u16) -> Caller {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Caller { client: Client::builder(TokioExecutor::new()).pool_timer(TokioTimer::new()).build(connector), first }
    }

    /// Sends a message and waits for the answer, which may be a fault.
    pub(crate) async fn call(&self, partner: Partner, envelope: &Envelope) -> Result<AdaptedMessage, CallError> {
        let failed = |what: String| CallError::Failed(format!("{}: {what}", partner.name()));
        let address = format!("http://127.0.0.1:{}/{}", partner.port(self.first), partner.name());
        let request = Request::post(address).header(CONTENT_TYPE, XML).body(Full::new(Bytes::from(envelope.text())));
        let request = request.map_err(|error| failed(error.to_string()))?;
        let answer = timeout(Duration::from_secs(60), self.client.request(request)).await;
        let answer = answer.map_err(|_| failed("no answer within a minute".to_owned()))?;
        let answer = answer.map_err(|error| failed(error.to_string()))?;
        let status = answer.status();
        let text = text(answer.into_body()).await.map_err(failed)?;
        if status == StatusCode::CONFLICT {
            return Err(CallError::Refused(text));
        }
        soap::read(&text).map_err(|_| failed(format!("{status} {text}")))
    }
}
