// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measures how many records per second a journal makes durable, with threads that append and wait.
//!
//! `cargo run --release -p gnomon-store --example throughput -- FOLDER [THREADS] [BYTES] [SECONDS]`

use std::path::PathBuf;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};
use std::{env, thread};

use gnomon_store::{Journal, JournalOptions, StoreError};

fn main() -> Result<(), StoreError> {
    let mut arguments = env::args_os().skip(1);
    let folder = arguments.next().map_or_else(|| env::temp_dir().join("gnomon-throughput"), PathBuf::from);
    let mut number = |otherwise: u64| {
        arguments.next().and_then(|argument| argument.to_str().and_then(|text| text.parse().ok())).unwrap_or(otherwise)
    };
    let (threads, bytes, seconds) = (number(8), number(200), number(5));
    let (journal, opened) = Journal::open(&folder, JournalOptions::default())?;
    let (durable, durability_changed) = (Mutex::new(opened.last), Condvar::new());
    let payload = vec![b'x'; bytes as usize];
    let until = Instant::now() + Duration::from_secs(seconds);
    let syncs = thread::scope(|scope| {
        let syncer = scope.spawn(|| {
            let mut syncs = 0u64;
            while let Some(through) = journal.sync_next()? {
                *durable.lock().expect("nobody panics") = through;
                durability_changed.notify_all();
                syncs += 1;
            }
            Ok::<u64, StoreError>(syncs)
        });
        let appenders: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    while Instant::now() < until {
                        let sequence = journal.append(1, &payload)?;
                        let waiting = durable.lock().expect("nobody panics");
                        drop(
                            durability_changed
                                .wait_while(waiting, |durable| *durable < sequence)
                                .expect("nobody panics"),
                        );
                    }
                    Ok::<(), StoreError>(())
                })
            })
            .collect();
        let appended: Result<(), StoreError> =
            appenders.into_iter().try_for_each(|appender| appender.join().expect("nobody panics"));
        journal.close();
        let syncs = syncer.join().expect("nobody panics");
        appended.and(syncs)
    })?;
    let records = journal.last() - opened.last;
    #[expect(clippy::print_stdout, reason = "the result of the measurement")]
    {
        println!(
            "{threads} threads, {bytes} bytes: {} records/s durable, {} syncs/s, {:.1} MB/s",
            records / seconds,
            syncs / seconds,
            (records * bytes) as f64 / seconds as f64 / 1e6
        );
    }
    Ok(())
}
