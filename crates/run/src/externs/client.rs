// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads files and servers. A failure is a reason in the report, never an error: an unreachable server stops no run.

use std::fs::File;
use std::io::Read as _;

use gnomon_core::value::Value;
use gnomon_ir::spec::ExternDeclaration;
#[cfg(feature = "externs")]
use ureq::Agent;

use super::ExternSources;
use super::answer::{AnswerFormat, value};

/// Greatest size of an answer in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Greatest number of redirects.
#[cfg(feature = "externs")]
const MAX_REDIRECTS: u32 = 5;

/// Reads the sources of external variables.
pub struct ExternClient {
    sources: ExternSources,
    #[cfg(feature = "externs")]
    agent: Agent,
}

impl ExternClient {
    /// Creates a client for these sources.
    pub fn new(sources: &ExternSources) -> Self {
        ExternClient {
            sources: sources.clone(),
            #[cfg(feature = "externs")]
            agent: agent(sources),
        }
    }

    /// Reads a variable. Returns its value, or the reason why it cannot be read.
    pub fn read(&self, declaration: &ExternDeclaration) -> Result<Value<'static>, String> {
        let ExternDeclaration { source, path, .. } = declaration;
        let (bytes, format) = if source.contains("://") { self.server(source)? } else { self.file(source)? };
        value(bytes, format, path.as_deref())
    }

    fn file(&self, name: &str) -> Result<(Vec<u8>, AnswerFormat), String> {
        let failed = |error: std::io::Error| format!("`{name}` cannot be read: {error}");
        let file = File::open(self.sources.folder.join(name)).map_err(failed)?;
        // A pipe or a device may never end.
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(format!("`{name}` is not a file"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(too_long());
        }
        Ok((bytes, AnswerFormat::of(name)))
    }

    #[cfg(not(feature = "externs"))]
    #[expect(clippy::unused_self, reason = "as with the feature")]
    fn server(&self, address: &str) -> Result<(Vec<u8>, AnswerFormat), String> {
        Err(format!("`{address}` cannot be queried: gnomon was built without the feature `externs`"))
    }

    #[cfg(feature = "externs")]
    fn server(&self, address: &str) -> Result<(Vec<u8>, AnswerFormat), String> {
        let failed = |error: ureq::Error| self.reason(&error);
        let mut response = self.agent.get(address).call().map_err(failed)?;
        let format = match response.body().mime_type() {
            Some("text/csv") => AnswerFormat::Csv,
            Some("application/json") => AnswerFormat::Json,
            _ => AnswerFormat::of(address),
        };
        let bytes = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec().map_err(failed)?;
        Ok((bytes, format))
    }

    #[cfg(feature = "externs")]
    fn reason(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::StatusCode(status) => format!("the server answers {status}"),
            ureq::Error::Timeout(_) => format!("no answer within {} s", self.sources.timeout.as_secs_f64()),
            ureq::Error::HostNotFound => "the host does not exist".to_owned(),
            ureq::Error::BodyExceedsLimit(_) => too_long(),
            ureq::Error::TooManyRedirects => format!("the server redirects more than {MAX_REDIRECTS} times"),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                format!("no answer within {} s", self.sources.timeout.as_secs_f64())
            }
            ureq::Error::Io(error) => format!("the server cannot be reached: {error}"),
            other => format!("the request to the server failed: {other}"),
        }
    }
}

#[cfg(feature = "externs")]
fn agent(sources: &ExternSources) -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(sources.timeout))
        .max_redirects(MAX_REDIRECTS)
        // Only the spec determines the server; proxies of the environment are ignored.
        .proxy(None)
        .user_agent(concat!("gnomon/", env!("CARGO_PKG_VERSION")))
        .accept("application/json, text/csv;q=0.9, */*;q=0.1")
        .build();
    config.new_agent()
}

fn too_long() -> String {
    format!("the answer is longer than {} MiB", MAX_BYTES >> 20)
}
