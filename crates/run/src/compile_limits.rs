// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits on specs that clients send: a spec is text from outside, and its properties can be far larger than their text.

use std::time::{Duration, Instant};

use gnomon_core::diagnostic::{Diagnostic, Span};
use gnomon_ir::core::{Core, ModalNode, PluginBody};
use gnomon_ir::spec::Property;

/// Limits on the size of a spec and on the work of compiling it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompileLimits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Number of properties.
    pub properties: usize,
    /// Number of parts of all properties in kernel form: nodes of formulae, transitions, atoms.
    pub parts: usize,
    /// Time for checking the properties.
    pub time: Duration,
}

impl CompileLimits {
    /// No limits, for specs of the operator.
    pub const NONE: CompileLimits =
        CompileLimits { bytes: usize::MAX, properties: usize::MAX, parts: usize::MAX, time: Duration::MAX };
    /// Limits for specs of clients.
    pub const CLIENT: CompileLimits =
        CompileLimits { bytes: 1 << 20, properties: 1_000, parts: 200_000, time: Duration::from_secs(5) };

    /// Fails if the text is too long.
    pub(crate) fn check_text(&self, source: &str) -> Result<(), Box<Diagnostic>> {
        if source.len() <= self.bytes {
            return Ok(());
        }
        let message = format!("the spec has {} bytes; the limit for specs of clients is {}", source.len(), self.bytes);
        Err(Box::new(Diagnostic::error("G0715", Span::default(), message).help("split it into several specs")))
    }

    pub(crate) fn begin(&self) -> CompileBudget {
        CompileBudget { limits: *self, begun: Instant::now(), properties: 0, parts: 0 }
    }
}

/// The work of compiling a spec so far.
pub(crate) struct CompileBudget {
    limits: CompileLimits,
    begun: Instant,
    properties: usize,
    parts: usize,
}

impl CompileBudget {
    /// Counts a property that was checked. Fails if a limit is exceeded.
    pub(crate) fn spend(&mut self, core: Option<&Core>, property: &Property) -> Result<(), Box<Diagnostic>> {
        let CompileLimits { properties, parts, time, .. } = self.limits;
        self.properties += 1;
        self.parts += core.map_or(1, part_count);
        let (number, message) = if self.properties > properties {
            ("G0716", format!("the spec has more than {properties} properties"))
        } else if self.parts > parts {
            ("G0716", format!("the properties have more than {parts} parts in kernel form"))
        } else if self.begun.elapsed() > time {
            ("G0717", format!("checking the properties takes longer than {} s", time.as_secs()))
        } else {
            return Ok(());
        };
        let diagnostic = Diagnostic::error(number, property.name_span, message).label("exceeded by this property");
        Err(Box::new(diagnostic.help("split the spec; specs that are given when the watch starts have no such limit")))
    }
}

/// Returns the number of parts of a property in kernel form.
fn part_count(core: &Core) -> usize {
    let own = match core {
        Core::Formula(formula) => formula.nodes.len(),
        Core::Automaton(automaton) => automaton.states.iter().map(|state| 1 + state.transitions.len()).sum(),
        Core::Rule(rule) => rule.actions.len(),
        Core::Pattern(_) => 1,
        Core::Modal(modal) => modal_parts(&modal.body),
        Core::Plugin(plugin) => plugin.letters.len() + plugin_parts(&plugin.body),
        Core::Clocks(clocks) => clocks.defined.len() + clocks.relations.len(),
    };
    own + core.atoms().iter().map(|atom| 1 + atom.patterns.len()).sum::<usize>()
}

fn plugin_parts(body: &PluginBody) -> usize {
    match body {
        PluginBody::Ere(ere) => {
            let mut letters = 0;
            ere.each_letter(&mut |_| letters += 1);
            letters
        }
        PluginBody::Fsm(machine) => machine.states.iter().map(|state| 1 + state.targets.len()).sum(),
        PluginBody::Cfg(grammar) => {
            let productions = grammar.nonterminals.iter().flat_map(|nonterminal| &nonterminal.productions);
            productions.map(|production| 1 + production.len()).sum()
        }
        PluginBody::Ltl(formula) | PluginBody::PastLtl(formula) => formula.nodes.len(),
    }
}

fn modal_parts(node: &ModalNode) -> usize {
    match node {
        ModalNode::Data(..) => 1,
        ModalNode::And(parts) => 1 + parts.iter().map(modal_parts).sum::<usize>(),
        ModalNode::Forall(_, of) | ModalNode::Box(_, of) | ModalNode::Implies(_, of) => 1 + modal_parts(of),
    }
}
