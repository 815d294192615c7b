// SPDX-License-Identifier: MIT OR Apache-2.0
//! Services, clients and a tap that takes notes.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use gnomon_proxy::{MessageDirection, Relay, Ruling, Settings, Tap, TappedMessage};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, client, server};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::timeout;

/// Far longer than anything takes: what is waited for so long does not come.
pub(crate) const AGES: Duration = Duration::from_secs(30);

pub(crate) type Anything = BoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

/// Takes notes and decides as configured.
#[derive(Clone)]
pub(crate) struct Notes {
    messages: Arc<Mutex<Vec<TappedMessage>>>,
    came: Arc<Notify>,
    rule: Arc<dyn Fn(&TappedMessage) -> Ruling + Send + Sync>,
}

impl Notes {
    pub(crate) fn new(rule: impl Fn(&TappedMessage) -> Ruling + Send + Sync + 'static) -> Notes {
        Notes { messages: Arc::default(), came: Arc::default(), rule: Arc::new(rule) }
    }

    pub(crate) fn all(&self) -> Vec<TappedMessage> {
        self.messages.lock().unwrap().clone()
    }

    /// Waits until there are this many messages.
    pub(crate) async fn wait(&self, count: usize) -> Vec<TappedMessage> {
        let enough = async {
            loop {
                let mut came = pin!(self.came.notified());
                came.as_mut().enable();
                let messages = self.all();
                if messages.len() >= count {
                    return messages;
                }
                came.await;
            }
        };
        timeout(AGES, enough).await.unwrap_or_else(|_| panic!("no {count} messages: {:?}", self.all()))
    }

    /// The one response that there is; waits for it.
    pub(crate) async fn response(&self) -> TappedMessage {
        let messages = self.wait(2).await;
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert_eq!(messages[0].direction, MessageDirection::Request);
        assert_eq!(messages[1].direction, MessageDirection::Response);
        assert_eq!(messages[0].exchange, messages[1].exchange);
        messages[1].clone()
    }
}

impl Tap for Notes {
    async fn tap(&self, message: TappedMessage) -> Ruling {
        let ruling = (self.rule)(&message);
        self.messages.lock().unwrap().push(message);
        self.came.notify_waiters();
        ruling
    }
}

/// A refusal that says this.
pub(crate) fn refuse(text: &'static str) -> Ruling {
    Ruling::Refuse {
        status: 409,
        content_type: "application/problem+json".to_owned(),
        body: Bytes::from_static(text.as_bytes()),
    }
}

/// A proxy before this service, with notes of what it was shown.
pub(crate) async fn proxy(upstream: impl std::fmt::Display, settings: Settings) -> (SocketAddr, Notes) {
    let notes = Notes::new(|_| Ruling::Pass);
    (proxy_with(upstream, settings, notes.clone()).await, notes)
}

pub(crate) async fn proxy_with(upstream: impl std::fmt::Display, settings: Settings, tap: impl Tap) -> SocketAddr {
    let route = format!("shop@127.0.0.1:0={upstream}").parse().unwrap();
    let proxy = Relay::new(settings, tap).bind(route).await.unwrap();
    let address = proxy.address();
    tokio::spawn(proxy.run(std::future::pending()));
    address
}

/// A service.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    pub(crate) connections: Arc<AtomicUsize>,
}

/// Starts a service that answers so, in one version of HTTP.
pub(crate) async fn service<A>(
    http2: bool,
    answer: impl Fn(Request<Incoming>) -> A + Clone + Send + Sync + 'static,
) -> Service
where
    A: Future<Output = Response<Anything>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            count.fetch_add(1, Ordering::Relaxed);
            let answer = answer.clone();
            let service = service_fn(move |request| {
                let answer = answer(request);
                async move { Ok::<_, std::convert::Infallible>(answer.await) }
            });
            let io = TokioIo::new(stream);
            tokio::spawn(async move {
                if http2 {
                    let _ = server::conn::http2::Builder::new(TokioExecutor::new()).serve_connection(io, service).await;
                } else {
                    let _ = server::conn::http1::Builder::new().serve_connection(io, service).await;
                }
            });
        }
    });
    Service { address, connections }
}

impl Service {
    pub(crate) fn http(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn h2c(&self) -> String {
        format!("h2c://{}", self.address)
    }
}

/// A service that does this with each connection, whatever HTTP says.
pub(crate) async fn rude<A>(act: impl Fn(TcpStream) -> A + Send + 'static) -> String
where
    A: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(act(stream));
        }
    });
    format!("http://{address}")
}

/// A service that sends back what it gets.
pub(crate) async fn echo(http2: bool) -> Service {
    service(http2, |request| async {
        let mut response = Response::builder();
        if let Some(content_type) = request.headers().get("content-type") {
            response = response.header("content-type", content_type);
        }
        response.body(request.into_body().map_err(Into::into).boxed()).unwrap()
    })
    .await
}

pub(crate) fn full(text: impl Into<Bytes>) -> Anything {
    Full::new(text.into()).map_err(|never| match never {}).boxed()
}

/// A connection of a client.
pub(crate) enum Client {
    One(client::conn::http1::SendRequest<Anything>),
    Two(client::conn::http2::SendRequest<Anything>),
}

impl Client {
    pub(crate) async fn new(address: SocketAddr, http2: bool) -> Client {
        let io = TokioIo::new(TcpStream::connect(address).await.unwrap());
        if http2 {
            let (sender, connection) = client::conn::http2::handshake(TokioExecutor::new(), io).await.unwrap();
            tokio::spawn(connection);
            return Client::Two(sender);
        }
        let (sender, connection) = client::conn::http1::handshake(io).await.unwrap();
        tokio::spawn(connection);
        Client::One(sender)
    }

    pub(crate) async fn send(&mut self, request: Request<Anything>) -> hyper::Result<Response<Incoming>> {
        let sent = async {
            match self {
                Client::One(sender) => {
                    sender.ready().await?;
                    sender.send_request(request).await
                }
                Client::Two(sender) => {
                    sender.ready().await?;
                    sender.send_request(request).await
                }
            }
        };
        timeout(AGES, sent).await.expect("an answer comes")
    }

    /// Sends a request and reads the whole answer as a text.
    pub(crate) async fn ask(&mut self, request: Request<Anything>) -> (StatusCode, String) {
        let response = self.send(request).await.unwrap();
        let status = response.status();
        (status, text(response).await)
    }
}

pub(crate) async fn text(response: Response<Incoming>) -> String {
    let body = timeout(AGES, response.into_body().collect()).await.expect("it ends").unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

/// The next part of a body.
pub(crate) async fn part(body: &mut Incoming) -> Option<Bytes> {
    let frame = timeout(AGES, body.frame()).await.expect("a part comes")?;
    Some(frame.unwrap().into_data().unwrap())
}

pub(crate) fn get(path: &str) -> Request<Anything> {
    Request::get(path).header("host", "front.example").body(full("")).unwrap()
}

pub(crate) fn post(path: &str, body: impl Into<Bytes>) -> Request<Anything> {
    let request = Request::post(path).header("host", "front.example").header("content-type", "application/json");
    request.body(full(body)).unwrap()
}

/// One request over a new connection.
pub(crate) async fn ask(address: SocketAddr, request: Request<Anything>) -> (StatusCode, String) {
    Client::new(address, false).await.ask(request).await
}

/// Writes these bytes and reads whatever comes until the end, or until a second passes without anything.
pub(crate) async fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.write_all(bytes).await;
    let mut part = [0; 4096];
    while let Ok(Ok(count @ 1..)) = timeout(Duration::from_secs(1), stream.read(&mut part)).await {
        answer.extend_from_slice(&part[..count]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// Reads until the other side closes the connection.
pub(crate) async fn to_the_end(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    // A reset is an end too.
    let _ = timeout(AGES, stream.read_to_end(&mut answer)).await.expect("the connection is closed");
    String::from_utf8_lossy(&answer).into_owned()
}
