// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gnomon watch`: checks a running system until it is stopped.

pub(crate) mod args;
mod line_printer;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use gnomon::externs::ExternSources;
use gnomon_live::wire::{Notification, ViolationHead, ViolationRow};
use gnomon_live::{BlockBy, JournalRetention, Limits, Live, OpenError, Options, RecoveryReport, Restoration};
use gnomon_proxy::adapt::Adapters;
use gnomon_server::{Log, NetLimits, RunningServer, ServerOptions, TlsFiles, Tokens, has_dashboard, serve};
use tokio::sync::broadcast::error::RecvError;

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::memory;
use crate::outcome::{CommandResult, ExitStatus};
use crate::paint::Ink;
use crate::render::line::sanitised;
use crate::render::numbers::counted;
use crate::spec::SpecFile;
use args::WatchArguments;
use line_printer::LinePrinter;

pub(crate) fn run(watch: &WatchArguments, console: &Console) -> CommandResult {
    let spec = SpecFile::read(&watch.spec)?;
    // Errors of the spec are printed before anything is opened.
    spec.compile(&[], console)?;
    let server = server_options(watch)?;
    let (live, restoration) = start(watch, &spec, console).map_err(|error| cannot_open(&error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new("G0952", format!("the watch cannot start: {error}")))?;
    let outcome = runtime.block_on(async {
        keep_file_size_errors();
        watch_until_stopped(watch, (&live, restoration), server, console).await
    });
    live.close();
    outcome
}

/// Starts the watch. Waits while the disk is too full for that.
fn start(watch: &WatchArguments, spec: &SpecFile, console: &Console) -> Result<(Live, Restoration), OpenError> {
    let mut is_reported = false;
    loop {
        match Live::start(live_options(watch, spec)) {
            Err(error) if error.is_full() => {
                if !is_reported {
                    console.inform(&format!("waiting for space on the disk: {error}\n"));
                    is_reported = true;
                }
                std::thread::sleep(Duration::from_secs(1));
            }
            started => return started,
        }
    }
}

async fn watch_until_stopped(
    watch: &WatchArguments,
    (live, restoration): (&Live, Restoration),
    server: ServerOptions,
    console: &Console,
) -> CommandResult {
    let mut notifications = live.subscribe();
    let running = serve(live.clone(), server).await.map_err(|error| {
        Failure::new("G0952", error.to_string())
            .help("choose an address with `--listen-http`; `--tokens`, `--tls-cert` and `--tls-key` open it to others")
    })?;
    announce(watch, live, &running, console);
    let stopped = stop_signal();
    tokio::pin!(stopped);
    let restored = tokio::task::spawn_blocking(|| restoration.wait());
    tokio::pin!(restored);
    let mut is_restored = false;
    let mut printer = LinePrinter::start();
    loop {
        tokio::select! {
            () = &mut stopped => break,
            ended = &mut restored, if !is_restored => {
                is_restored = true;
                match ended {
                    Ok(Ok(report)) => print_restored(&report, console),
                    Ok(Err(error)) => {
                        running.stop().await;
                        return Err(cannot_open(&error).into());
                    }
                    Err(error) => return Err(Failure::new("G0952", format!("the watch cannot start: {error}")).into()),
                }
            }
            one = notifications.recv() => match one {
                Ok(Notification::Violation(violation)) if !console.is_quiet() => printer.print(line(&violation, console)),
                Ok(_) => {}
                Err(RecvError::Lagged(missed)) => inform_of_missed(missed, console),
                Err(RecvError::Closed) => break,
            },
        }
    }
    console.inform("stopping: accepted events are checked and kept\n");
    running.stop().await;
    let missed = printer.finish();
    if missed > 0 {
        inform_of_missed(missed, console);
    }
    Ok(if live.status().violations > 0 { ExitStatus::Violated } else { ExitStatus::Success })
}

fn inform_of_missed(missed: u64, console: &Console) {
    console.inform(&format!("{missed} messages were not shown here; the history has every violation\n"));
}

/// Lets writes beyond the limit on file sizes (`ulimit -f`) fail like those to a full disk. Otherwise the signal SIGXFSZ
/// ends the process.
fn keep_file_size_errors() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        /// SIGXFSZ on Linux (except MIPS), macOS and the BSDs.
        const FILE_SIZE_EXCEEDED: i32 = 25;
        // The handler stays when the stream is dropped. Without it the process behaves as before.
        let _ = signal(SignalKind::from_raw(FILE_SIZE_EXCEEDED));
    }
}

/// Resolves when the process is asked to stop.
async fn stop_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}

fn live_options(watch: &WatchArguments, spec: &SpecFile) -> Options {
    let block_by = match watch.session.as_deref() {
        None => BlockBy::Case,
        Some("all") => BlockBy::All,
        Some(field) => BlockBy::Field(field.to_owned()),
    };
    let bytes = watch.max_memory.or_else(memory::default_limit).unwrap_or(Limits::default().bytes);
    Options {
        store: watch.store.as_ref().map(PathBuf::from),
        by: watch.by.clone(),
        time: watch.time,
        lateness: watch.lateness,
        max_ahead: watch.max_ahead,
        block_by,
        limits: Limits { bindings: watch.max_bindings, bytes, cases: watch.max_cases, ..Limits::default() },
        accept_loss_after: watch.accept_loss_after,
        spec_from: watch.spec_from,
        keep: JournalRetention { bytes: watch.keep, age: None },
        sources: (!watch.externs.no_extern).then(|| ExternSources::beside(&spec.folder)),
        ..Options::new(gnomon::report::file_name(&spec.name), spec.text.clone())
    }
}

fn server_options(watch: &WatchArguments) -> Result<ServerOptions, Failure> {
    let tokens = match &watch.tokens {
        None => Tokens::default(),
        Some(path) => Tokens::parse(&files::read_text(path, "list of tokens")?).map_err(|error| {
            Failure::new("G0953", error.to_string())
                .at(path)
                .help("write a role and a token on each line: `write 5f0c…`")
        })?,
    };
    let tls = watch.tls_cert.as_ref().zip(watch.tls_key.as_ref());
    let adapters = match &watch.adapters {
        None => Adapters::default(),
        Some(path) => Adapters::parse(&files::read_text(path, "file of adapters")?)
            .map_err(|error| Failure::new("G0953", error.to_string()).at(path))?,
    };
    let limits = NetLimits::default();
    Ok(ServerOptions {
        http: watch.listen_http,
        tcp: watch.listen_tcp,
        otlp: watch.listen_otlp.clone(),
        proxies: watch.proxy.clone(),
        adapters,
        tokens,
        tls: tls.map(|(certificate, key)| TlsFiles { certificate: certificate.into(), key: key.into() }),
        hosts: watch.allow_host.clone(),
        allow_plain: watch.allow_plain,
        limits: NetLimits {
            body_bytes: limits.body_bytes.min(usize::try_from(watch.max_body).unwrap_or(usize::MAX)),
            unpacked_bytes: usize::try_from(watch.max_body).unwrap_or(usize::MAX),
            connections: watch.max_connections,
            events_per_second: watch.max_rate,
            ..limits
        },
        log: Log::new(watch.log, std::io::stderr()),
        ..ServerOptions::local()
    })
}

fn cannot_open(error: &OpenError) -> Failure {
    let failure = Failure::new("G0951", format!("the watch cannot start: {error}"));
    match error {
        OpenError::Store(store) => failure.at(store.path().display().to_string()).maybe_help(store.remedy()),
        OpenError::State(_) => failure.help("keep the folder for inspection, and start with another `--store`"),
        OpenError::Spec(_)
        | OpenError::Settings(_)
        | OpenError::Missing { .. }
        | OpenError::NoJournal(_)
        | OpenError::SpecDiffers { .. }
        | OpenError::Lateness
        | OpenError::MaxAhead => failure,
    }
}

/// Prints the result of restoring the store.
fn print_restored(restored: &RecoveryReport, console: &Console) {
    for note in &restored.notes {
        console.inform(&format!("note: {}\n", sanitised(note)));
    }
    if restored.torn_bytes > 0 {
        let bytes = counted(restored.torn_bytes, "byte");
        console.inform(&format!("note: {bytes} at the end of the journal were never acknowledged, and were cut off\n"));
    }
    if restored.replayed > 0 {
        console.inform(&format!("restored: {} checked again\n", counted(restored.replayed, "record")));
    }
}

/// Prints the addresses of all services.
fn announce(watch: &WatchArguments, live: &Live, running: &RunningServer, console: &Console) {
    let status = live.status();
    let properties = if status.spec.properties == 1 { "property" } else { "properties" };
    let mut text = format!("watching {}: {} {properties}\n", sanitised(&watch.spec), status.spec.properties);
    let scheme = if watch.tls_cert.is_some() { "https" } else { "http" };
    let page = if has_dashboard() { "dashboard and API" } else { "API (the dashboard is not built in: see the page)" };
    let _ = writeln!(text, "  {page}: {scheme}://{}/", running.http);
    let _ = writeln!(text, "  events: POST {scheme}://{}/api/v1/events", running.http);
    if let Some(address) = running.tcp {
        let _ = writeln!(text, "  events: tcp://{address}");
    }
    for address in &running.otlp {
        let _ = writeln!(text, "  OpenTelemetry: {scheme}://{address} (gRPC and HTTP)");
    }
    for (address, route) in running.proxies.iter().zip(&watch.proxy) {
        let _ = writeln!(text, "  proxy: http://{address} for {}", sanitised(&route.name));
    }
    match &watch.store {
        Some(store) => {
            let _ = writeln!(text, "  store: {}", sanitised(store));
        }
        None => text += "  nothing is kept when it ends: give a folder with `--store`\n",
    }
    console.inform(&text);
}

/// Returns a violation as one line.
fn line(violation: &ViolationRow, console: &Console) -> String {
    let ViolationRow { head: ViolationHead { number, property, case, .. }, details } = violation;
    let binding = details.binding.get();
    let mut text =
        format!("{} {}", console.out_paint.ink(Ink::Bad, &format!("violation[{property}]")), details.summary);
    if binding != "{}" {
        let _ = write!(text, " {binding}");
    }
    if let Some(case) = case {
        let _ = write!(text, " in {case}");
    }
    format!("{} (#{number})\n", sanitised(&text))
}
