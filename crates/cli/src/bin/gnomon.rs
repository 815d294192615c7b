// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command `gnomon`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Returns memory to the system after a peak. The allocator of the C library keeps pages that hold a single small block.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    gnomon_cli::main(std::env::args_os()).into()
}
