// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drives a real browser over a pair of pipes, in the protocol of its developer tools. Needs a Chromium and nothing else.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use std::{env, process, thread};

use serde_json::{Value, json};

/// Time to wait for an answer; only a browser that hangs needs all of it.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page, in a folder of its own.
pub(crate) struct Browser {
    child: Child,
    commands: Option<File>,
    answers: Receiver<Value>,
    session: Option<String>,
    last: u64,
    /// Events that arrived while waiting for an answer.
    happened: Vec<Value>,
    folder: PathBuf,
}

impl Browser {
    pub(crate) fn start() -> Browser {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("gnomon-browser-{}-{}", process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder can be made");
        let pipes = ["commands", "answers"].map(|name| folder.join(name));
        let made = Command::new("mkfifo").args(&pipes).status().expect("`mkfifo` is there");
        assert!(made.success(), "the pipes can be made");
        let mut child = Command::new("sh")
            .args(["-c", r#"exec "$0" "$@" 3<commands 4>answers"#])
            .arg(executable())
            .args(
                "--headless --remote-debugging-pipe --no-sandbox --disable-gpu --disable-quic --no-first-run"
                    .split(' '),
            )
            .args(
                "--disable-background-networking --disable-component-update --disable-sync --disable-extensions"
                    .split(' '),
            )
            .args("--disable-dev-shm-usage --force-device-scale-factor=1 --lang=en --window-size=1200,900".split(' '))
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg("about:blank")
            .current_dir(&folder)
            .env("HOME", &folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(folder.join("log")).expect("a file can be made"))
            .spawn()
            .expect("there is a shell");
        // Each waits for the other side to open it, in the order in which the shell does.
        let commands = File::options().write(true).open(&pipes[0]).expect("the browser opens it");
        let from = File::open(&pipes[1]).expect("the browser opens it");
        let (tell, answers) = channel();
        thread::spawn(move || {
            for message in BufReader::new(from).split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("the browser speaks JSON");
                if tell.send(message).is_err() {
                    break;
                }
            }
        });
        if let Ok(Some(status)) = child.try_wait() {
            panic!("the browser ended at once ({status}): {}", log(&folder));
        }
        let happened = Vec::new();
        let mut browser =
            Browser { child, commands: Some(commands), answers, session: None, last: 0, happened, folder };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let session = browser.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.call(domain, &json!({}));
        }
        browser
    }

    /// Sends a command and waits for its answer.
    pub(crate) fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut command = json!({"id": self.last, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        let commands = self.commands.as_mut().expect("it is open until the end");
        commands.write_all(format!("{command}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.hear();
            if answer["id"] == json!(self.last) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.happened.push(answer);
        }
    }

    fn hear(&self) -> Value {
        self.answers
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("the browser does not answer ({error}): {}", log(&self.folder)))
    }

    /// Opens a file and waits until it is loaded.
    pub(crate) fn open(&mut self, path: &Path) {
        let before = self.happened.len();
        let address: String = path
            .to_string_lossy()
            .bytes()
            .map(|byte| match byte {
                b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
                other => format!("%{other:02X}"),
            })
            .collect();
        let answer = self.call("Page.navigate", &json!({"url": format!("file://{address}")}));
        assert!(answer["errorText"].is_null(), "{answer}");
        while !self.happened[before..].iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.hear();
            self.happened.push(event);
        }
    }

    /// The value of an expression on the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", &parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Counts the elements that a selector finds.
    pub(crate) fn count(&mut self, selector: &str) -> u64 {
        self.value(&format!("document.querySelectorAll({}).length", json!(selector))).as_u64().expect("it is a number")
    }

    /// Moves the mouse, pressed or not.
    pub(crate) fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let pressed = kind != "mouseMoved";
        let button = if pressed { "left" } else { "none" };
        let clicks = u8::from(pressed);
        self.call(
            "Input.dispatchMouseEvent",
            &json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": clicks}),
        );
    }

    /// Drags from one point to another.
    pub(crate) fn drag(&mut self, from: [f64; 2], to: [f64; 2]) {
        self.mouse("mouseMoved", from);
        self.mouse("mousePressed", from);
        self.call(
            "Input.dispatchMouseEvent",
            &json!({"type": "mouseMoved", "x": to[0], "y": to[1], "button": "left", "buttons": 1}),
        );
        self.mouse("mouseReleased", to);
    }

    /// Presses a key, with Shift if asked to.
    pub(crate) fn press(&mut self, key: &str, shift: bool) {
        let modifiers = if shift { 8 } else { 0 };
        for kind in ["rawKeyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                &json!({"type": kind, "key": key, "code": key, "modifiers": modifiers}),
            );
        }
    }

    /// The size of the window, and the colours that its user likes.
    pub(crate) fn look(&mut self, width: u32, height: u32, scheme: &str) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
        // Whoever watches the size has been told before the frame after the next.
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    /// Lists the complaints of the page: exceptions, errors, warnings, and messages of scripts.
    pub(crate) fn complaints(&self) -> Vec<&Value> {
        let is_one = |event: &&Value| {
            let kinds = ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"];
            kinds.iter().any(|kind| event["method"] == **kind)
        };
        self.happened.iter().filter(is_one).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends when nobody commands it any more; its files go when it is gone.
        drop(self.commands.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn log(folder: &Path) -> String {
    fs::read_to_string(folder.join("log")).unwrap_or_default()
}

/// The browser: the one that `GNOMON_BROWSER` names, else the first that is found.
fn executable() -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let names: Vec<OsString> = match env::var_os("GNOMON_BROWSER") {
        Some(named) => vec![named],
        None => ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].map(Into::into).to_vec(),
    };
    let mut candidates = env::split_paths(&path).flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    candidates.find(|candidate| candidate.is_file()).unwrap_or_else(|| {
        panic!("there is no browser to open the page in: `make browser` installs one, GNOMON_BROWSER names another")
    })
}
