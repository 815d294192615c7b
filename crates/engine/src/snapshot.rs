// SPDX-License-Identifier: MIT OR Apache-2.0
//! Saves the state of a monitor and restores it.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `GNOM` |
//! | 2 | version of this format, little-endian |
//! | 8 | fingerprint of the properties, little-endian |
//! | 8 | checksum of the rest (FNV-1a), little-endian |
//! | rest | [`MonitorState`], written by postcard |
//!
//! Postcard writes fields by position, without names or tags of structs: reordering, adding or removing a field of any type in the
//! state changes the format and needs a new version; renaming does not. Indices that can be computed are not stored (`serde(skip)`);
//! `rebuild` computes them and checks everything that later code relies on, such as indices in range and equal lengths, because a
//! file may be damaged in spite of its checksum and must not make the monitor panic.
//!
//! The fingerprint identifies the meaning of the properties: names and the layout of the text do not change it. A snapshot of other
//! properties is refused, because its state would be read as the state of other operators.

use std::fmt;

use gnomon_core::diagnostic::Span;
use gnomon_ir::ClockRelation;
use gnomon_ir::core::{AutomatonCore, Core, FormulaCore, ModalCore, PatternCore, PluginCore, RuleActionCore, RuleCore};

use crate::monitor::{Monitor, MonitorState};
use crate::plan::Plan;

const MAGIC: &[u8; 4] = b"GNOM";
const VERSION: u16 = 14;
const HEADER: usize = 4 + 2 + 8 + 8;

/// The reason why a snapshot was refused.
#[derive(Debug)]
pub struct RestoreError {
    kind: RestoreErrorKind,
}

#[derive(Debug)]
enum RestoreErrorKind {
    NotASnapshot,
    Version(u16),
    OtherProperties,
    Damaged,
}

impl RestoreError {
    /// Returns true if the snapshot is one of other properties.
    pub fn is_other_properties(&self) -> bool {
        matches!(self.kind, RestoreErrorKind::OtherProperties)
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            RestoreErrorKind::NotASnapshot => f.write_str("not a snapshot"),
            RestoreErrorKind::Version(version) => {
                write!(f, "a snapshot of version {version}; this program reads {VERSION}")
            }
            RestoreErrorKind::OtherProperties => f.write_str("a snapshot of other properties"),
            RestoreErrorKind::Damaged => f.write_str("the snapshot is damaged"),
        }
    }
}

impl std::error::Error for RestoreError {}

pub(crate) fn save(plan: &Plan, state: &MonitorState) -> Vec<u8> {
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
    let Some((header, body)) = bytes.split_at_checked(HEADER) else { return refuse(RestoreErrorKind::NotASnapshot) };
    if header[..4] != *MAGIC {
        return refuse(RestoreErrorKind::NotASnapshot);
    }
    let version = u16::from_le_bytes([header[4], header[5]]);
    if version != VERSION {
        return refuse(RestoreErrorKind::Version(version));
    }
    if header[6..14] != plan.inner.fingerprint.to_le_bytes() {
        return refuse(RestoreErrorKind::OtherProperties);
    }
    if header[14..] != hash(HASH_SEED, body).to_le_bytes() {
        return refuse(RestoreErrorKind::Damaged);
    }
    let Ok((mut state, [])) = postcard::take_from_bytes::<MonitorState>(body) else {
        return refuse(RestoreErrorKind::Damaged);
    };
    if !state.rebuild(plan) {
        return refuse(RestoreErrorKind::Damaged);
    }
    Ok(Monitor::resume(plan.clone(), state))
}

/// Appends a state without header, with runs of equal bytes shortened: most of a small state are times that are not set, which
/// postcard writes as 18 equal bytes.
pub(crate) fn pack(state: &MonitorState, packed: &mut Vec<u8>) {
    let bytes = postcard::to_stdvec(state).expect("state has only types that postcard writes, into memory");
    let mut rest = bytes.as_slice();
    while let Some(&byte) = rest.first() {
        packed.push(byte);
        let mut length = 1;
        if is_repeated(byte) {
            length = rest.iter().take(usize::from(u8::MAX)).take_while(|next| **next == byte).count();
            packed.push(length as u8);
        }
        rest = &rest[length..];
    }
}

/// Restores a packed state. Returns `None` if it is not one of this plan.
pub(crate) fn unpack(plan: &Plan, packed: &[u8]) -> Option<MonitorState> {
    let mut bytes = Vec::with_capacity(4 * packed.len());
    let mut rest = packed.iter();
    while let Some(&byte) = rest.next() {
        let length = if is_repeated(byte) { usize::from(*rest.next()?) } else { 1 };
        bytes.resize(bytes.len() + length, byte);
    }
    let (mut state, []) = postcard::take_from_bytes::<MonitorState>(&bytes).ok()? else { return None };
    state.rebuild(plan).then_some(state)
}

/// Returns true for a byte that is followed by its number in a packed state.
fn is_repeated(byte: u8) -> bool {
    matches!(byte, 0 | u8::MAX)
}

/// Returns a hash of the meaning of properties, which does not depend on their names and layout.
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
                // Spans are part of the layout.
                let bare = RuleCore {
                    name: String::new(),
                    needs_unit: None,
                    context_span: Span::default(),
                    span: Span::default(),
                    actions: core
                        .actions
                        .iter()
                        .map(|action| RuleActionCore { span: Span::default(), ..action.clone() })
                        .collect(),
                    ..core.clone()
                };
                format!("{bare:?}")
            }
            Core::Pattern(core) => {
                let PatternCore { clock, atoms, prefix, scope, opens, closes, behaviour, .. } = core;
                format!("{clock:?} {atoms:?} {prefix:?} {scope:?} {opens:?} {closes:?} {behaviour:?}")
            }
            Core::Plugin(core) => {
                let PluginCore {
                    atoms, prefix, letters, body, creation, forbidden, suffix, full_binding, connected, ..
                } = core;
                format!("{atoms:?} {prefix:?} {letters:?} {body:?} {creation:?} {forbidden:?} {suffix} {full_binding} {connected}")
            }
            Core::Clocks(core) => {
                // Spans are part of the layout.
                let relations = core.relations.iter().map(|one| {
                    let ClockRelation { kind, left, right, .. } = one.relation;
                    (kind, left, right, one.origin)
                });
                let relations: Vec<_> = relations.collect();
                format!("{:?} {:?} {relations:?}", core.atoms, core.defined)
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

/// Computes FNV-1a, which is equal on every machine.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(seed, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
