// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lowers logic plug-ins: events become letters, names of states and nonterminals become numbers, derived operators are removed.

mod grammar;
mod linear;
mod machine;

use gnomon_core::similar::nearest;
use gnomon_core::{Diagnostic, Span};

use super::Checker;
use crate::{
    Argument, Atom, AtomDefinition, AtomId, Category, Creation, ForbiddenCategory, ForbiddenCore, LetterCore, LetterId,
    LetterSource, Logic, Plugin, PluginBody, PluginCore, PluginEvent, Property, QuantifierCore, Variable, VariableId,
};

/// Limit on the number of letters.
const MAX_LETTERS: usize = 255;

impl Checker<'_> {
    pub(super) fn plugin(&mut self, property: &Property, plugin: &Plugin, prefix: Vec<QuantifierCore>) -> PluginCore {
        let mut letters = self.letters(plugin, &prefix);
        self.never_bound(property, &prefix, &letters);
        let creation = self.creation(plugin, &mut letters, prefix.len());
        let body = self.plugin_body(&plugin.logic, &letters);
        let forbidden = self.forbidden(property, plugin, &body);
        if plugin.suffix && !matches!(plugin.logic, Logic::Ere(_) | Logic::Cfg(_)) {
            self.diagnostics.push(
                Diagnostic::error("G0336", property.body_span, "`suffix` is for `ere` and `cfg`")
                    .label(format!("this body is `{}`", plugin.logic.kind().word()))
                    .help("leave out `suffix`"),
            );
        }
        PluginCore {
            name: property.name.clone(),
            atoms: std::mem::take(&mut self.atoms),
            prefix,
            letters,
            body,
            creation,
            forbidden,
            suffix: plugin.suffix,
            full_binding: plugin.full_binding,
            connected: plugin.connected,
            span: property.body_span,
        }
    }

    // RULE L1
    fn letters(&mut self, plugin: &Plugin, prefix: &[QuantifierCore]) -> Vec<LetterCore> {
        let mut letters: Vec<LetterCore> = Vec::new();
        let mut definitions: Vec<AtomDefinition> = Vec::new();
        for (index, event) in plugin.events.iter().enumerate() {
            let parameters = self.parameters_of(&event.atom, prefix);
            let before = plugin.events[..index].iter().find(|before| before.atom.name == event.atom.name);
            if event.is_end || before.is_some_and(|before| before.is_end) {
                self.end_of_trace(event, &plugin.events[..index], before);
            }
            let patterns = if event.is_end { vec![] } else { self.patterns(&without_unknown(&event.atom, prefix)) };
            let place = letters.iter().position(|letter| letter.name == event.atom.name);
            let Some((place, before)) = place.zip(before) else {
                let name = event.atom.name.clone();
                let source = if event.is_end {
                    LetterSource::EndOfTrace
                } else {
                    LetterSource::Atom(AtomId(definitions.len() as u32))
                };
                letters.push(LetterCore { name: name.clone(), source, parameters, creates: true });
                if !event.is_end {
                    definitions.push(AtomDefinition { name, patterns });
                }
                continue;
            };
            if before.atom.condition == event.atom.condition && is_same_list(before, event) {
                self.twice(&event.atom.name, event.atom.name_span, before.atom.name_span);
            } else if letters[place].parameters != parameters {
                self.diagnostics.push(
                    Diagnostic::error(
                        "G0213",
                        event.atom.span,
                        format!("`{}` binds other parameters here", event.atom.name),
                    )
                    .also(before.atom.span, "than here")
                    .help("give the two events different names"),
                );
            }
            if let LetterSource::Atom(id) = letters[place].source {
                definitions[id.0 as usize].patterns.extend(patterns);
            }
        }
        if letters.len() > MAX_LETTERS {
            let span = plugin.events.last().map_or(Span::default(), |event| event.atom.span);
            self.diagnostics.push(
                Diagnostic::error("G0114", span, format!("more than {MAX_LETTERS} events")).help("split the property"),
            );
        }
        self.atoms = definitions;
        letters
    }

    /// Checks that the end of the trace is one event, without parameters.
    fn end_of_trace(&mut self, event: &PluginEvent, others: &[PluginEvent], same: Option<&PluginEvent>) {
        let Atom { name, span, name_span, arguments, .. } = &event.atom;
        if event.is_end && arguments.as_ref().is_some_and(|arguments| !arguments.is_empty()) {
            self.diagnostics.push(
                Diagnostic::error("G0204", *span, "the end of the trace has no parameters")
                    .help(format!("write `{name}`")),
            );
        }
        let end = if event.is_end { others.iter().find(|other| other.is_end) } else { None };
        if let Some(before) = same.or(end) {
            self.twice(name, *name_span, before.atom.name_span);
        }
    }

    /// Warns of parameters that no event binds.
    fn never_bound(&mut self, property: &Property, prefix: &[QuantifierCore], letters: &[LetterCore]) {
        let parameters = property.prefix.iter().flat_map(|quantifier| &quantifier.variables);
        for (id, parameter) in (0..).map(VariableId).zip(parameters) {
            let is_first = number_of(prefix, &parameter.name) == Some(id);
            if is_first && !letters.iter().any(|letter| letter.parameters.contains(&id)) {
                self.diagnostics.push(
                    Diagnostic::warning(
                        "G0311",
                        parameter.span,
                        format!("`{}` is not used in any event", parameter.name),
                    )
                    .label("no instance has a value for it")
                    .help(format!("use it in an event, for example `next({})`, or leave it out", parameter.name)),
                );
            }
        }
    }

    /// Returns the parameters that an atom binds, in ascending order.
    fn parameters_of(&mut self, atom: &Atom, prefix: &[QuantifierCore]) -> Vec<VariableId> {
        let mut parameters = Vec::new();
        for argument in atom.arguments.iter().flatten() {
            let Argument::Variable(variable) = argument else { continue };
            match number_of(prefix, &variable.name) {
                Some(id) => parameters.push(id),
                None => self.unknown_parameter(variable, prefix),
            }
        }
        parameters.sort_unstable();
        parameters.dedup();
        parameters
    }

    fn unknown_parameter(&mut self, variable: &Variable, prefix: &[QuantifierCore]) {
        let Variable { name, span } = variable;
        let known: Vec<&str> = prefix.iter().map(|known| known.variable.as_str()).collect();
        let parameters = if known.is_empty() { name.clone() } else { format!("{}, {name}", known.join(", ")) };
        self.diagnostics.push(
            Diagnostic::error("G0306", *span, format!("`{name}` is not a parameter of the property"))
                .help(format!("declare it: `parameters {parameters}`; or write a text in quotes, `_` for any value")),
        );
    }

    // RULE L12
    fn creation(&mut self, plugin: &Plugin, letters: &mut [LetterCore], parameters: usize) -> Creation {
        if plugin.creation.is_empty() {
            return Creation::Any;
        }
        for letter in letters.iter_mut() {
            letter.creates = false;
        }
        for (index, event) in plugin.creation.iter().enumerate() {
            if let Some(before) = plugin.creation[..index].iter().find(|other| other.name == event.name) {
                self.twice(&event.name, event.span, before.span);
            }
            if let Some(id) = self.letter(event, letters) {
                letters[id.0 as usize].creates = true;
            }
        }
        let binds_all = |letter: &LetterCore| letter.parameters.len() == parameters;
        if letters.iter().filter(|letter| letter.creates).all(binds_all) {
            Creation::DropBefore
        } else {
            Creation::MustBeFirst
        }
    }

    fn plugin_body(&mut self, logic: &Logic, letters: &[LetterCore]) -> PluginBody {
        match logic {
            Logic::Ere(ere) => {
                PluginBody::Ere(ere.map(&mut |event| self.letter(event, letters).unwrap_or(LetterId(0))))
            }
            Logic::Fsm(fsm) => PluginBody::Fsm(self.machine(fsm, letters)),
            Logic::Cfg(rules) => PluginBody::Cfg(self.grammar(rules, letters)),
            Logic::Ltl(formula) => PluginBody::Ltl(self.linear(formula, letters, false)),
            Logic::PastLtl(formula) => PluginBody::PastLtl(self.linear(formula, letters, true)),
        }
    }

    /// Returns the letter of an event that a body or `creation` mentions.
    fn letter(&mut self, event: &Variable, letters: &[LetterCore]) -> Option<LetterId> {
        let found = letters.iter().position(|letter| letter.name == event.name);
        if found.is_none() {
            let names: Vec<&str> = letters.iter().map(|letter| letter.name.as_str()).collect();
            self.diagnostics.push(unknown("G0210", "an event of the property", event, &names));
        }
        found.map(|index| LetterId(index as u32))
    }

    fn twice(&mut self, name: &str, span: Span, before: Span) {
        self.diagnostics.push(
            Diagnostic::error("G0201", span, format!("`{name}` is declared twice"))
                .also(before, "here for the first time")
                .help("leave the second one out, or give it another name"),
        );
    }

    fn forbidden(&mut self, property: &Property, plugin: &Plugin, body: &PluginBody) -> Vec<ForbiddenCore> {
        let kind = plugin.logic.kind();
        let default = [ForbiddenCategory {
            name: Variable { name: kind.default_category().to_owned(), span: property.body_span },
            message: None,
            resets: false,
        }];
        let written = if plugin.forbidden.is_empty() { &default[..] } else { &plugin.forbidden };
        let mut forbidden: Vec<ForbiddenCore> = Vec::new();
        for (index, one) in written.iter().enumerate() {
            let is_same = |other: &&ForbiddenCategory| other.name.name.eq_ignore_ascii_case(&one.name.name);
            if let Some(before) = written[..index].iter().find(is_same) {
                self.twice(&one.name.name, one.name.span, before.name.span);
            }
            if let Some(category) = self.category(&one.name, plugin, body) {
                forbidden.push(ForbiddenCore { category, resets: one.resets, message: one.message.clone() });
            }
        }
        forbidden
    }

    fn category(&mut self, name: &Variable, plugin: &Plugin, body: &PluginBody) -> Option<Category> {
        let known: Vec<Category> = match body {
            PluginBody::Ere(_) | PluginBody::Cfg(_) => vec![Category::Match, Category::Fail],
            PluginBody::Ltl(_) | PluginBody::PastLtl(_) => vec![Category::Violation, Category::Validation],
            PluginBody::Fsm(machine) => match &plugin.logic {
                Logic::Fsm(fsm) => machine::categories(fsm, machine),
                _ => vec![],
            },
        };
        let exact = known.iter().find(|category| category.name() == name.name);
        let found = exact.or_else(|| known.iter().find(|category| category.name().eq_ignore_ascii_case(&name.name)));
        if found.is_none() {
            let names: Vec<&str> = known.iter().map(Category::name).collect();
            let what = format!("a category of an `{}` body", plugin.logic.kind().word());
            self.diagnostics.push(unknown("G0212", &what, name, &names));
        }
        found.cloned()
    }
}

/// Returns true if two declarations have the same list of parameters.
fn is_same_list(left: &PluginEvent, right: &PluginEvent) -> bool {
    let (Some(left), Some(right)) = (&left.atom.arguments, &right.atom.arguments) else {
        return left.atom.arguments.is_none() && right.atom.arguments.is_none();
    };
    let is_same = |(left, right): (&Argument, &Argument)| match (left, right) {
        (Argument::Variable(left), Argument::Variable(right)) => left.name == right.name,
        (left, right) => left == right,
    };
    left.len() == right.len() && left.iter().zip(right).all(is_same)
}

/// Returns the number of a parameter.
fn number_of(prefix: &[QuantifierCore], name: &str) -> Option<VariableId> {
    prefix.iter().position(|known| known.variable == name).map(|index| VariableId(index as u32))
}

/// Returns an atom with `_` in place of unknown parameters, which have been reported.
fn without_unknown(atom: &Atom, prefix: &[QuantifierCore]) -> Atom {
    let mut atom = atom.clone();
    for argument in atom.arguments.iter_mut().flatten() {
        if matches!(argument, Argument::Variable(variable) if number_of(prefix, &variable.name).is_none()) {
            *argument = Argument::Any;
        }
    }
    atom
}

/// Reports a name that is not known, with the names that are.
fn unknown(code: &'static str, what: &str, name: &Variable, known: &[&str]) -> Diagnostic {
    let error = Diagnostic::error(code, name.span, format!("`{}` is not {what}", name.name));
    if let Some(near) = nearest(&name.name, known.iter().copied(), 2) {
        return error.edit(format!("write `{near}`"), name.span, near.to_owned());
    }
    match known {
        [] => error.help("there is none"),
        _ => error.help(format!("known are {}", known.join(", "))),
    }
}
