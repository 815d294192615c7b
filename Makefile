# SPDX-License-Identifier: MIT OR Apache-2.0
# Everything a contributor runs. Nothing but cargo is needed; `test` adds rustfmt and clippy where they are missing.

CARGO ?= cargo

.PHONY: test tools fmt-check lint unit doc tidy smoke fmt bench bench-peers nightly fuzz

# Every check, in the order in which they fail fastest.
test: tools fmt-check lint unit doc tidy smoke

tools:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy

fmt-check:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

unit:
	$(CARGO) test --workspace

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# What the documents say about the code, compared with the code.
tidy:
	$(CARGO) run -q -p gnomon-xtask -- tidy

# The README's main command. Its trace breaks one property, so its status must be 1.
smoke:
	@$(CARGO) run --release -- check examples/atm/atm.rv examples/atm/b4.xml; \
	status=$$?; if [ $$status -ne 1 ]; then echo "expected exit status 1, got $$status" >&2; exit 1; fi

fmt:
	$(CARGO) fmt --all

# The table of workloads: events per second and peak memory.
bench:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench run

# Gnomon beside other tools, from PyPI; PEERS=all adds those that cargo builds.
bench-peers:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench run --peers $(PEERS)

# The generated tests with twenty times as many cases.
nightly:
	GNOMON_CASES=$${GNOMON_CASES:-20} $(CARGO) test --release --workspace

# Every fuzz target for FUZZ_SECONDS. Finds go to fuzz/artifacts; shrunk ones belong into fuzz/regressions.
FUZZ_TARGETS = csv ndjson json xml xes monpoly text packed spec
fuzz:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz
	@cd fuzz && for target in $(FUZZ_TARGETS); do \
		mkdir -p corpus/$$target; \
		$(CARGO) fuzz run -s none --fuzz-dir . $$target corpus/$$target seeds/$$target -- \
			-max_total_time=$${FUZZ_SECONDS:-60} -max_len=4096 -timeout=10 -rss_limit_mb=512 || exit 1; \
	done
