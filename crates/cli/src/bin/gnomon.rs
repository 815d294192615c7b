// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Returns memory to the system after a peak. The allocator of the C library keeps pages that hold a single small block.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    #[cfg(unix)]
    if std::env::args_os().skip(1).any(|argument| argument == "watch") {
        purge_immediately();
    }
    gnomon_cli::main(std::env::args_os()).into()
}

/// Has the allocator return memory to the system as soon as it is free, by starting the program again with that setting. By default
/// the allocator waits, and then needs another release as an occasion: a watch that is idle after a peak would keep what was freed last.
#[cfg(unix)]
fn purge_immediately() {
    use std::os::unix::process::CommandExt as _;

    const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";
    let mut arguments = std::env::args_os();
    if let (None, Some(name), Ok(program)) = (std::env::var_os(PURGE_DELAY), arguments.next(), std::env::current_exe())
    {
        // Returns only if the program cannot be started again. The watch then runs with the usual setting.
        let _ = std::process::Command::new(program).arg0(name).args(arguments).env(PURGE_DELAY, "0").exec();
    }
}
