# SPDX-License-Identifier: MIT OR Apache-2.0
"""Judges words by automata that MONA makes of LTLf formulae, and compares with what the engine said.

A line of the input is a JSON object: what it is called, a formula, its propositions for each letter, the letters in
order, the length of the longest words, and a 1 or 0 for every word from length 1 on, shorter ones first and then in the
order of the letters. The last line of the output says how many formulae and words were compared.
"""

import itertools
import json
import re
import sys

from ltlf2dfa.parser.ltlf import LTLfParser


class Automaton:
    """A deterministic automaton as MONA prints it."""

    def __init__(self, formula):
        text = LTLfParser()(formula).to_dfa(mona_dfa_out=True)
        names = re.search(r"free variables:(.*)", text)
        if names is None:
            raise SystemExit(f"MONA made no automaton of {formula}:\n{text}")
        self.names = names.group(1).lower().split()
        self.accepting = {int(state) for state in re.search(r"Accepting states:(.*)", text).group(1).split()}
        self.edges = {}
        for state, guard, target in re.findall(r"State (\d+): (\S*) *-> state (\d+)", text):
            self.edges.setdefault(int(state), []).append((guard, int(target)))
        # The first step reads no letter.
        self.start = self.edges[0][0][1]

    def step(self, state, propositions):
        letter = "".join("1" if name in propositions else "0" for name in self.names)
        for guard, target in self.edges[state]:
            if all(asked in ("X", found) for asked, found in zip(guard, letter)):
                return target
        raise SystemExit(f"no edge from state {state} for {propositions}")

    def accepts(self, word):
        state = self.start
        for propositions in word:
            state = self.step(state, propositions)
        return state in self.accepting


def main():
    formulae = words = 0
    for line in sys.stdin:
        case = json.loads(line)
        automaton = Automaton(case["formula"])
        said = iter(case["said"])
        for length in range(1, case["longest"] + 1):
            for word in itertools.product(case["letters"], repeat=length):
                accepts = automaton.accepts([case["propositions"][letter] for letter in word])
                if accepts != (next(said) == "1"):
                    sys.exit(f"{case['name']}: on {' '.join(word)} MONA says {accepts}: {case['formula']}")
                words += 1
        if next(said, None) is not None:
            sys.exit(f"{case['name']}: more verdicts than words")
        formulae += 1
    print(f"{formulae} formulae, {words} words")


main()
