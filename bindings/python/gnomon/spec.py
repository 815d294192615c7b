# SPDX-License-Identifier: MIT OR Apache-2.0
"""Specs from files and from other processes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ._gnomon import Spec


def load(path: str | os.PathLike[str], *, properties: Sequence[str] | None = None) -> Spec:
    """Loads a spec from a file.

    :param properties: the names of the wanted properties; all, if left out.
    :raises gnomon.SpecError: the spec has errors.
    """
    return Spec.from_file(path, properties=None if properties is None else list(properties))


def _restored(parts: tuple[str, str, list[str], str | None]) -> Spec:
    text, name, properties, folder = parts
    return Spec.from_text(text, name=name, properties=properties, folder=folder)
