// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs as data. A snapshot begins with `GNOM`, the version of this format, the fingerprint of the properties and a
//! checksum of the rest.

use std::fmt;

use gnomon_core::diagnostic::Span;
use gnomon_ir::core::{ActionCore, AutomatonCore, Core, FormulaCore, ModalCore, RequirementCore, RuleCore};

use crate::monitor::{Monitor, State};
use crate::plan::Plan;

const MAGIC: &[u8; 4] = b"GNOM";
const VERSION: u16 = 6;
const HEADER: usize = 4 + 2 + 8 + 8;

/// Why a snapshot was refused.
#[derive(Debug)]
pub struct RestoreError {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    NotASnapshot,
    Version(u16),
    OtherProperties,
    Damaged,
}

impl RestoreError {
    /// Whether the snapshot is whole, but of other properties.
    pub fn is_other_properties(&self) -> bool {
        matches!(self.kind, Kind::OtherProperties)
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::NotASnapshot => f.write_str("not a snapshot"),
            Kind::Version(version) => write!(f, "a snapshot of version {version}; this program reads {VERSION}"),
            Kind::OtherProperties => f.write_str("a snapshot of other properties"),
            Kind::Damaged => f.write_str("the snapshot is damaged"),
        }
    }
}

impl std::error::Error for RestoreError {}

pub(crate) fn save(plan: &Plan, state: &State) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&plan.inner.fingerprint.to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    let mut bytes = postcard::to_extend(state, bytes).expect("state has only types that postcard writes, into memory");
    let checksum = hash(HASH_SEED, &bytes[HEADER..]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

pub(crate) fn restore(plan: &Plan, bytes: &[u8]) -> Result<Monitor, RestoreError> {
    let refuse = |kind| Err(RestoreError { kind });
    let Some((header, body)) = bytes.split_at_checked(HEADER) else { return refuse(Kind::NotASnapshot) };
    if header[..4] != *MAGIC {
        return refuse(Kind::NotASnapshot);
    }
    let version = u16::from_le_bytes([header[4], header[5]]);
    if version != VERSION {
        return refuse(Kind::Version(version));
    }
    if header[6..14] != plan.inner.fingerprint.to_le_bytes() {
        return refuse(Kind::OtherProperties);
    }
    if header[14..] != hash(HASH_SEED, body).to_le_bytes() {
        return refuse(Kind::Damaged);
    }
    let Ok((mut state, [])) = postcard::take_from_bytes::<State>(body) else { return refuse(Kind::Damaged) };
    let networks = &plan.inner.networks;
    let fits = state.runs.len() == networks.len()
        && state.merge.fits(networks.len())
        && state.sequence.fits(networks.len())
        && networks
            .iter()
            .zip(&state.runs)
            .all(|(network, run)| network.fits(&run.network) && run.gathered.fits(network));
    let fits = fits && state.variables.fits(&plan.inner.fields);
    if !fits || !state.deck.rebuild(&plan.inner.slices) || !state.book.rebuild(&plan.inner.rules) {
        return refuse(Kind::Damaged);
    }
    for (network, run) in networks.iter().zip(&mut state.runs) {
        run.scratch = network.scratch();
    }
    Ok(Monitor::resume(plan.clone(), state))
}

/// What the properties mean, whatever their names and layout.
pub(crate) fn fingerprint(cores: &[Core]) -> u64 {
    cores.iter().fold(HASH_SEED, |seed, core| {
        let meaning = match core {
            Core::Formula(core) => {
                let FormulaCore {
                    simultaneous, clock, atoms, prefix, measures, variables, terms, nodes, formula, ..
                } = core;
                let data = format!("{prefix:?} {measures:?} {variables:?} {terms:?}");
                format!("{simultaneous:?} {clock:?} {atoms:?} {data} {nodes:?} {formula:?}")
            }
            Core::Automaton(core) => {
                let AutomatonCore { atoms, prefix, condition, states, .. } = core;
                format!("{atoms:?} {prefix:?} {condition:?} {states:?}")
            }
            Core::Rule(core) => {
                // Spans say where the rule stands, not what it says.
                let bare = RuleCore {
                    name: String::new(),
                    needs_unit: None,
                    context_span: Span::default(),
                    span: Span::default(),
                    actions: core
                        .actions
                        .iter()
                        .map(|action| ActionCore { span: Span::default(), ..action.clone() })
                        .collect(),
                    ..core.clone()
                };
                format!("{bare:?}")
            }
            Core::Requirement(core) => {
                let RequirementCore { clock, atoms, prefix, scope, opens, closes, behaviour, .. } = core;
                format!("{clock:?} {atoms:?} {prefix:?} {scope:?} {opens:?} {closes:?} {behaviour:?}")
            }
            Core::Modal(core) => {
                let ModalCore { atoms, prefix, sorts, locals, body, .. } = core;
                format!("{atoms:?} {prefix:?} {sorts:?} {locals:?} {body:?}")
            }
        };
        hash(seed, meaning.as_bytes())
    })
}

const HASH_SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: the same on every machine, which is what a file needs.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
