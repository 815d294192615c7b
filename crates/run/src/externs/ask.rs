// SPDX-License-Identifier: MIT OR Apache-2.0
//! Asks files and servers. Whatever goes wrong is a reason, never an error: a world that does not answer stops no run.

use std::fs::File;
use std::io::Read as _;

use gnomon_core::value::Value;
use gnomon_ir::spec::ExternDeclaration;
use ureq::Agent;

use super::Sources;
use super::answer::{Form, value};

/// How many bytes an answer may have.
const MOST_BYTES: u64 = 1 << 20;
/// How often a server may send us elsewhere.
const MOST_REDIRECTS: u32 = 5;

/// Who asks.
pub struct Asker {
    sources: Sources,
    agent: Agent,
}

impl Asker {
    /// Asks as told.
    pub fn new(sources: &Sources) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(sources.timeout))
            .max_redirects(MOST_REDIRECTS)
            // The spec says whom to ask; the environment does not.
            .proxy(None)
            .user_agent(concat!("gnomon/", env!("CARGO_PKG_VERSION")))
            .accept("application/json, text/csv;q=0.9, */*;q=0.1")
            .build();
        Asker { sources: sources.clone(), agent: config.new_agent() }
    }

    /// The value of a variable now, or why it cannot be had.
    pub fn ask(&self, declaration: &ExternDeclaration) -> Result<Value<'static>, String> {
        let ExternDeclaration { source, path, .. } = declaration;
        let (bytes, form) = if source.contains("://") { self.server(source)? } else { self.file(source)? };
        value(bytes, form, path.as_deref())
    }

    fn file(&self, name: &str) -> Result<(Vec<u8>, Form), String> {
        let failed = |error: std::io::Error| format!("`{name}` cannot be read: {error}");
        let file = File::open(self.sources.folder.join(name)).map_err(failed)?;
        // What is no file, such as a pipe, may never come to an end.
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(format!("`{name}` is no file"));
        }
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(too_long());
        }
        Ok((bytes, Form::of(name)))
    }

    fn server(&self, address: &str) -> Result<(Vec<u8>, Form), String> {
        let failed = |error: ureq::Error| self.reason(&error);
        let mut response = self.agent.get(address).call().map_err(failed)?;
        let form = match response.body().mime_type() {
            Some("text/csv") => Form::Csv,
            Some("application/json") => Form::Json,
            _ => Form::of(address),
        };
        let bytes = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec().map_err(failed)?;
        Ok((bytes, form))
    }

    fn reason(&self, error: &ureq::Error) -> String {
        match error {
            ureq::Error::StatusCode(status) => format!("the server answers {status}"),
            ureq::Error::Timeout(_) => format!("no answer within {} s", self.sources.timeout.as_secs_f64()),
            ureq::Error::HostNotFound => "there is no host of this name".to_owned(),
            ureq::Error::BodyExceedsLimit(_) => too_long(),
            ureq::Error::TooManyRedirects => format!("the server redirects more than {MOST_REDIRECTS} times"),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                format!("no answer within {} s", self.sources.timeout.as_secs_f64())
            }
            ureq::Error::Io(error) => format!("the server cannot be reached: {error}"),
            other => format!("the server cannot be asked: {other}"),
        }
    }
}

fn too_long() -> String {
    format!("the answer is longer than {} MiB", MOST_BYTES >> 20)
}
