// SPDX-License-Identifier: MIT OR Apache-2.0
//! A certificate and a key, ready to speak TLS with.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::options::TlsFiles;

/// A certificate or key that cannot be used.
#[derive(Debug)]
pub(crate) struct TlsError {
    path: PathBuf,
    what: String,
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.what)
    }
}

/// Reads both files. `protocols` are those that a client may ask for (ALPN).
pub(crate) fn acceptor(files: &TlsFiles, protocols: &[&str]) -> Result<TlsAcceptor, TlsError> {
    let wrong = |path: &PathBuf, what: String| TlsError { path: path.clone(), what };
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(&files.certificate, format!("no certificate can be read: {error}")))?;
    if chain.is_empty() {
        return Err(wrong(&files.certificate, "there is no certificate in it; give a PEM file".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| wrong(&files.key, format!("no private key can be read: {error}; give a PEM file")))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| wrong(&files.key, format!("the key and the certificate cannot be used: {error}")))?;
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}
