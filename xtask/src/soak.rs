// SPDX-License-Identifier: MIT OR Apache-2.0
//! `soak`: runs a watch under load and disturbs it, then compares its report with `gnomon check` of its export.
//!
//! Senders with clocks that differ post numbered events and repeat what was not acknowledged. Meanwhile the watch is killed, stopped,
//! suspended (its clock jumps), its disk is full (also while it stops and starts), and hostile clients send garbage, huge specs and events from
//! the future. At the end
//!
//! - every acknowledged event was accepted exactly once, and each is evaluated, late, or refused as one from the future;
//! - the watch reports the same counts as `gnomon check` of the export;
//! - every property was exercised, and cases ended by an event and at the limit.
//!
//! `SOAK_SECONDS` (1200), `SOAK_SEED` and `GNOMON` (target/release/gnomon) change the run. A full disk needs the right to mount a tmpfs.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

const SPEC: &str = "case ends with logout
case expires after 3s
event ask(i)
event answer(i)
mtl answered { forall i. G(ask(i) -> F[0,2s] answer(i)) }
mtl in_time { G(ask -> F[0,500ms] answer) }
soloist calm { G(ask -> F[0,3s] answer) }
mtl quiet { G !alarm }
pattern orderly { globally: answer responds to ask }
";

/// Size of the disk of the watch.
const DISK: &str = "1g";
/// Clocks of the senders, in milliseconds beside the true one.
const SKEWS: [i64; 4] = [0, -150, 120, 0];

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs the soak; returns a summary.
pub(crate) fn run(root: &Path, say: &dyn Fn(&str)) -> Result<String, Failure> {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let seconds = number("SOAK_SECONDS", 1200);
    let seed = number("SOAK_SEED", SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs());
    let program = std::env::var_os("GNOMON").map_or_else(|| root.join("target/release/gnomon"), PathBuf::from);
    let folder = std::env::temp_dir().join(format!("gnomon-soak-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    say(&format!("soak: {seconds} s, seed {seed}, in {}", folder.display()));
    let disk = Disk::mount(folder.join("disk"))?;
    if !disk.is_limited {
        say("soak: no tmpfs can be mounted, so the disk is never full");
    }
    fs::write(folder.join("soak.rv"), SPEC)?;
    let shared = Arc::new(Shared::default());
    let mut random = Dice(seed);
    let mut watch = Watch::start(&program, &folder, &shared)?;
    let senders: Vec<JoinHandle<Result<(), Failure>>> = (0..SKEWS.len())
        .map(|sender| {
            let (shared, dice) = (shared.clone(), Dice(seed ^ (sender as u64 + 1) << 32));
            spawn(move || send(&shared, sender, dice))
        })
        .collect();
    let hostile = {
        let (shared, dice) = (shared.clone(), Dice(seed.rotate_left(7)));
        spawn(move || attack(&shared, dice))
    };
    let begun = Instant::now();
    let mut counts = [0_u32; 5];
    while begun.elapsed() < Duration::from_secs(seconds) {
        sleep(Duration::from_millis(500 + random.below(4000)));
        let act = random.below(10);
        match act {
            0..=3 => {
                counts[0] += 1;
                watch.end("-KILL")?;
                watch = Watch::start(&program, &folder, &shared)?;
            }
            4 => {
                counts[1] += 1;
                watch.end("-TERM")?;
                watch = Watch::start(&program, &folder, &shared)?;
            }
            5 => {
                counts[2] += 1;
                watch.signal("-STOP")?;
                sleep(Duration::from_millis(200 + random.below(2500)));
                watch.signal("-CONT")?;
            }
            6 if disk.is_limited => {
                counts[3] += 1;
                disk.fill()?;
                sleep(Duration::from_millis(500 + random.below(2500)));
                let end = ["-KILL", "-TERM"].get(random.below(4) as usize);
                if let Some(end) = end {
                    watch.end(end)?;
                    // A start may wait for space.
                    let (ballast, delay) = (disk.ballast(), Duration::from_millis(random.below(3000)));
                    let freed = spawn(move || {
                        sleep(delay);
                        fs::remove_file(ballast)
                    });
                    watch = Watch::start(&program, &folder, &shared)?;
                    freed.join().map_err(|_| "the disk was not freed")??;
                } else {
                    disk.free()?;
                }
            }
            _ => counts[4] += 1,
        }
        if let Some(status) = watch.child.try_wait()? {
            return Err(
                format!("the watch ended by itself: {status}; its log is {}", folder.join("log").display()).into()
            );
        }
    }
    shared.is_over.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.join().map_err(|_| "a sender failed")??;
    }
    hostile.join().map_err(|_| "the hostile client failed")?;
    let result = compare(&program, &folder, &shared)?;
    watch.end("-TERM")?;
    drop(disk);
    fs::remove_dir_all(&folder)?;
    let [kills, stops, pauses, full, quiet] = counts;
    Ok(format!("{result}; {kills} kills, {stops} stops, {pauses} pauses, {full} full disks, {quiet} quiet rounds"))
}

/// State shared by the threads.
#[derive(Default)]
struct Shared {
    /// The address of the watch.
    address: Mutex<String>,
    is_over: AtomicBool,
    acknowledged: AtomicU64,
}

impl Shared {
    fn address(&self) -> String {
        self.address.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Option<(u16, String)> {
        let mut stream = TcpStream::connect(self.address()).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let at = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&answer[..at]).into_owned();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if is_chunked { unchunked(&answer[at + 4..])? } else { answer[at + 4..].to_vec() };
        Some((status, String::from_utf8_lossy(&body).into_owned()))
    }

    fn json(&self, path: &str) -> Option<Value> {
        let (status, body) = self.request("GET", path, "", b"")?;
        if status == 200 { serde_json::from_str(&body).ok() } else { None }
    }
}

/// Joins the chunks of a body; `None` if it is not complete.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let line = body.windows(2).position(|two| two == b"\r\n")?;
        let size = usize::from_str_radix(std::str::from_utf8(&body[..line]).ok()?.trim(), 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(line + 2..line + 2 + size)?);
        body = body.get(line + 4 + size..)?;
    }
}

/// A running watch.
struct Watch {
    child: Child,
    reader: Option<JoinHandle<()>>,
}

impl Watch {
    fn start(program: &Path, folder: &Path, shared: &Shared) -> Result<Watch, Failure> {
        let mut child = Command::new(program)
            .args(["watch", "soak.rv", "--store", "disk/var", "--by", "session", "--lateness", "400ms"])
            .args(["--max-cases", "400", "--listen-http", "127.0.0.1:0"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut stderr = BufReader::new(child.stderr.take().ok_or("it was piped")?);
        let mut log = fs::File::options().create(true).append(true).open(folder.join("log"))?;
        let mut line = String::new();
        loop {
            line.clear();
            if stderr.read_line(&mut line)? == 0 {
                return Err(format!("the watch does not start; its log is {}", folder.join("log").display()).into());
            }
            log.write_all(line.as_bytes())?;
            if let Some((_, address)) = line.split_once("events: POST http://") {
                let address = address.trim().trim_end_matches("/api/v1/events").to_owned();
                *shared.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
                break;
            }
        }
        let reader = spawn(move || {
            let _ = std::io::copy(&mut stderr, &mut log);
        });
        Ok(Watch { child, reader: Some(reader) })
    }

    fn signal(&self, signal: &str) -> Result<(), Failure> {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status()?;
        if sent.success() { Ok(()) } else { Err("the watch is not running".into()) }
    }

    fn end(&mut self, signal: &str) -> Result<(), Failure> {
        self.signal(signal)?;
        let status = self.child.wait()?;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        // A stop reports violations by 1.
        if signal == "-TERM" && !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("the watch did not stop cleanly: {status}").into());
        }
        Ok(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The disk of the watch, which can be full if it is a file system of its own.
struct Disk {
    path: PathBuf,
    is_limited: bool,
}

impl Disk {
    fn mount(path: PathBuf) -> Result<Disk, Failure> {
        fs::create_dir_all(&path)?;
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={DISK}"), "tmpfs"]).arg(&path).output();
        Ok(Disk { is_limited: mount.is_ok_and(|mount| mount.status.success()), path })
    }

    /// Returns the path of the file that fills the disk.
    fn ballast(&self) -> PathBuf {
        self.path.join("ballast")
    }

    fn fill(&self) -> Result<(), Failure> {
        let mut ballast = fs::File::create(self.ballast())?;
        for size in [1 << 20, 4096, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
        Ok(())
    }

    fn free(&self) -> Result<(), Failure> {
        Ok(fs::remove_file(self.ballast())?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_limited {
            let _ = Command::new("umount").arg("-l").arg(&self.path).status();
        }
    }
}

/// A linear congruential generator: the same numbers for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn milliseconds() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| i64::try_from(now.as_millis()).unwrap_or(i64::MAX))
}

/// Returns a time in milliseconds since 1970 as a date-time.
fn date_time(time: i64) -> String {
    let (days, rest) = (time.div_euclid(86_400_000), time.rem_euclid(86_400_000));
    // Days since 1970 to a date of the Gregorian calendar.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{:03}Z", rest % 1000)
}

/// Sends numbered events until the end, and repeats each batch until it is acknowledged.
fn send(shared: &Shared, sender: usize, mut dice: Dice) -> Result<(), Failure> {
    let mut first = 0_u64;
    while !shared.is_over.load(Ordering::Relaxed) {
        let count = 1 + dice.below(40);
        let mut body = String::new();
        // A clock that jumps now and then, back or ahead.
        let jump = [-3000, 900, 3_600_000].get(dice.below(180) as usize).copied().unwrap_or(0);
        for _ in 0..count {
            let event = ["ask", "answer", "answer", "other", "other", "logout", "alarm"][dice.below(70) as usize / 11];
            let time = date_time(milliseconds() + SKEWS[sender] + jump - dice.below(100) as i64);
            let (session, id) = (dice.below(600), dice.below(3));
            let event = serde_json::json!({ "event": event, "time": time, "session": format!("s{session}"), "i": id });
            body.extend([&event.to_string(), "\n"]);
        }
        let headers = format!(
            "Gnomon-Producer: sender-{sender}\r\nGnomon-First: {first}\r\nContent-Type: application/x-ndjson\r\n"
        );
        let begun = Instant::now();
        loop {
            match shared.request("POST", "/api/v1/events", &headers, body.as_bytes()) {
                Some((200..=299, answer)) => {
                    let answer: Value = serde_json::from_str(&answer)?;
                    let sum = ["accepted", "duplicates"].iter().filter_map(|name| answer[*name].as_u64()).sum::<u64>();
                    if sum != count {
                        return Err(format!("{count} events were sent, and the receipt is {answer}").into());
                    }
                    break;
                }
                Some((status @ 400..=499, answer)) if status != 429 => {
                    return Err(format!("events were refused: {status} {answer}").into());
                }
                _ if begun.elapsed() > Duration::from_secs(180) => {
                    return Err("events were not accepted for three minutes".into());
                }
                _ => sleep(Duration::from_millis(50)),
            }
        }
        first += count;
        shared.acknowledged.fetch_add(count, Ordering::Relaxed);
        sleep(Duration::from_millis(dice.below(60)));
    }
    Ok(())
}

/// Sends what must not harm the watch.
fn attack(shared: &Shared, mut dice: Dice) {
    let json = "Content-Type: application/json\r\n";
    let ndjson = "Content-Type: application/x-ndjson\r\n";
    while !shared.is_over.load(Ordering::Relaxed) {
        let check = |text: String| {
            let body = serde_json::json!({ "text": text }).to_string();
            shared.request("POST", "/api/v1/spec/check", json, body.as_bytes())
        };
        let _ = match dice.below(7) {
            0 => check("mtl p { G(a -> ".repeat(100_000)),
            1 => check((0..3000).map(|number| format!("mtl p{number} {{ G !a{number} }}\n")).collect()),
            2 => check("mtl p { forall x, y, z. G(ask(x) && F(answer(y) && F ask(z))) }".to_owned()),
            3 => shared.request("POST", "/api/v1/events", ndjson, &vec![b'{'; 1 << 20]),
            4 => shared.request("POST", "/api/v1/events", ndjson, b"{\"event\":\"ask\",\"time\":5,\"session\":1}\n"),
            5 => {
                let numbers = "Gnomon-Producer: sender-0\r\nGnomon-First: 18446744073709551615\r\n";
                shared.request("POST", "/api/v1/events", numbers, b"{\"event\":\"x\"}\n")
            }
            _ => shared.request("GET", "/api/v1/report?end=complete", "", b""),
        };
        sleep(Duration::from_millis(100 + dice.below(600)));
    }
}

/// Compares the counts of the watch with those of a check of its export.
fn compare(program: &Path, folder: &Path, shared: &Shared) -> Result<String, Failure> {
    let begun = Instant::now();
    let (report, export, status) = loop {
        if begun.elapsed() > Duration::from_secs(600) {
            return Err("the watch does not come to rest".into());
        }
        sleep(Duration::from_secs(1));
        let Some(status) = shared.json("/api/v1/status") else { continue };
        if status["events"]["waiting"] != 0 || status["state"] != "running" {
            continue;
        }
        let report =
            || shared.request("GET", "/api/v1/report?end=prefix", "", b"").filter(|(status, _)| *status == 200);
        let Some((_, before)) = report() else { continue };
        let Some((200, export)) = shared.request("GET", "/api/v1/export", "", b"") else { continue };
        let Some((_, after)) = report() else { continue };
        if before == after {
            break (before, export, status);
        }
    };
    let acknowledged = shared.acknowledged.load(Ordering::Relaxed);
    let events = |name: &str| status["events"][name].as_u64().unwrap_or(0);
    let sum = events("judged") + events("late") + events("ahead");
    if events("accepted") != acknowledged || sum != acknowledged {
        return Err(format!("{acknowledged} events were acknowledged; the status is {status}").into());
    }
    for (part, name) in [("events", "late"), ("events", "ahead"), ("cases", "ended"), ("cases", "evicted")] {
        if status[part][name] == 0 {
            return Err(format!("the soak had no {part} that were {name}; the status is {status}").into());
        }
    }
    fs::write(folder.join("export.ndjson"), export)?;
    let arguments = ["check", "soak.rv", "export.ndjson", "--by", "session", "--prefix", "--mode", "standard"];
    let check = Command::new(program).args(arguments).args(["--report", "json"]).current_dir(folder).output()?;
    let checked: Value = serde_json::from_slice(&check.stdout)
        .map_err(|error| format!("the check failed: {error}: {}", String::from_utf8_lossy(&check.stderr)))?;
    let (watched, checked) = (counts(&serde_json::from_str(&report)?), counts(&checked));
    if let Some(idle) = watched[2].as_array().into_iter().flatten().find(|property| property[2] == 0) {
        return Err(format!("the soak did not exercise a property: {idle}").into());
    }
    if watched != checked {
        let place = folder.display();
        return Err(
            format!("the watch and the check differ (see {place}):\n  watch {watched}\n  check {checked}").into()
        );
    }
    Ok(format!("{acknowledged} events, {}", checked[1]))
}

/// Returns the number of events, the cases, and the counts of each property.
fn counts(report: &Value) -> Value {
    let trace = &report["traces"][0];
    let names = ["name", "verdict", "activated", "satisfied", "violated", "pending", "violating_cases"];
    let properties = trace["properties"].as_array().into_iter().flatten();
    let properties: Vec<Value> = properties.map(|one| names.map(|name| one[name].clone()).into()).collect();
    serde_json::json!([trace["events"], trace["cases"], properties])
}

#[cfg(test)]
mod tests {
    use super::date_time;

    #[test]
    fn times_are_written_as_date_times() {
        assert_eq!(date_time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(date_time(1_709_210_096_789), "2024-02-29T12:34:56.789Z");
        assert_eq!(date_time(1_798_761_599_999), "2026-12-31T23:59:59.999Z");
    }
}
