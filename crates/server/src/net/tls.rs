// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads the certificate and key for TLS.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::options::TlsFiles;

/// Reads both files. `protocols` are offered to clients (ALPN).
pub(crate) fn acceptor(files: &TlsFiles, protocols: &[&str]) -> Result<TlsAcceptor, String> {
    let wrong = |path: &Path, what: String| format!("{}: {what}", path.display());
    let chain = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(&files.certificate, format!("no certificate can be read: {error}")))?;
    if chain.is_empty() {
        return Err(wrong(&files.certificate, "the file contains no certificate; give a PEM file".to_owned()));
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
