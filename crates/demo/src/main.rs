// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Product Retriever of the case study in Cao, Castanet, Felix and Chiew (Journal of Software 7(6), 2012, section VI) as
//! real services that speak SOAP over HTTP. Each of the five services has its own port and is called through a proxy of
//! `gnomon watch`. Simulated users buy products and make the composition fail now and then. The demo checks no property.
#![allow(clippy::print_stdout, reason = "a command line program")]
#![allow(clippy::print_stderr, reason = "a command line program")]

mod http;
mod partner;
mod retriever;
mod services;
mod soap;
mod user;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use tokio::net::{TcpListener, TcpStream};

use http::Caller;
use partner::Partner;
use user::TimeScale;

/// A composition of web services that fails now and then, to be watched.
///
/// Starts the five services of the Product Retriever (a purchase service, a French and a British shop, an exchange, and the
/// composition that calls them) and users who search for products and confirm purchases. Every call goes to a proxy, which is not
/// part of this program: the command line that starts the proxies is printed first.
#[derive(Parser)]
#[command(name = "gnomon-demo", version)]
struct Arguments {
    /// Port of the first service; the others follow.
    #[arg(long, value_name = "PORT", default_value_t = 8101)]
    services: u16,
    /// Port of the first proxy; the others follow.
    #[arg(long, value_name = "PORT", default_value_t = 9101)]
    proxies: u16,
    /// Call the services themselves, past the proxies.
    #[arg(long)]
    direct: bool,
    #[arg(help = "How many users there are at one time")]
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..))]
    users: u8,
    /// Number of purchases after which to stop; 0 never stops.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    purchases: u64,
    /// Factor by which all waiting times are multiplied; 0.1 is ten times as fast.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pace: f64,
    /// The spec that the printed command line names.
    #[arg(long, value_name = "FILE", default_value = "examples/demo/demo.rv")]
    spec: String,
    /// Print the command line and do nothing else.
    #[arg(long)]
    print: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if !(arguments.pace > 0.0 && arguments.pace <= 1000.0) {
        eprintln!("error: `--pace {}` is not a pace: give a number above 0, up to 1000", arguments.pace);
        return ExitCode::from(2);
    }
    let count = Partner::ALL.len() as u16;
    if arguments.services > u16::MAX - count || arguments.proxies > u16::MAX - count {
        eprintln!("error: there are not {count} ports from there on: give one below {}", u16::MAX - count);
        return ExitCode::from(2);
    }
    if arguments.services.abs_diff(arguments.proxies) < count {
        eprintln!(
            "error: services and proxies need ports of their own: leave {count} between `--services` and `--proxies`"
        );
        return ExitCode::from(2);
    }
    println!("{}", command_line(&arguments));
    if arguments.print {
        return ExitCode::SUCCESS;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let outcome = runtime.map_err(|error| error.to_string()).and_then(|runtime| runtime.block_on(run(arguments)));
    if let Err(message) = outcome {
        eprintln!("error: {message}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Returns the command that starts the proxies.
fn command_line(arguments: &Arguments) -> String {
    let proxies = Partner::ALL.map(|partner| {
        let (caller, name) = (partner.caller(), partner.name());
        let (proxy, service) = (partner.port(arguments.proxies), partner.port(arguments.services));
        format!(" \\\n  --proxy {caller}:{name}@127.0.0.1:{proxy}=http://127.0.0.1:{service}")
    });
    format!("gnomon watch {} --session userid{}", arguments.spec, proxies.concat())
}

async fn run(arguments: Arguments) -> Result<(), String> {
    let first = if arguments.direct { arguments.services } else { arguments.proxies };
    let caller = Arc::new(Caller::new(first));
    let scale = TimeScale(arguments.pace);
    for partner in Partner::ALL {
        let address = at(partner.port(arguments.services));
        let listener = TcpListener::bind(address).await.map_err(|error| {
            format!("{} cannot listen on {address}: {error}; choose other ports with `--services`", partner.name())
        })?;
        tokio::spawn(http::serve(listener, partner, Arc::clone(&caller), scale));
    }
    for partner in Partner::ALL {
        wait_for(at(partner.port(first))).await;
    }
    let users = user::run_users(&caller, arguments.users, arguments.purchases, scale);
    tokio::select! {
        () = users => Ok(()),
        signal = tokio::signal::ctrl_c() => signal.map_err(|error| error.to_string()),
    }
}

fn at(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// Waits until the port accepts connections.
async fn wait_for(address: SocketAddr) {
    let mut is_announced = false;
    while TcpStream::connect(address).await.is_err() {
        if !is_announced {
            println!("waiting for the proxy at {address}: start the command above");
            is_announced = true;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
