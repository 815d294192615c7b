# SPDX-License-Identifier: MIT OR Apache-2.0
"""Specs from files and from other processes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ._gnomon import Spec


def load(path: str | os.PathLike[str], *, properties: Sequence[str] | None = None) -> Spec:
    """The spec in a file.

    :param properties: the names of the properties that are wanted; all, if left out.
    :raises gnomon.SpecError: it is not understood.
    """
    return Spec.from_file(path, properties=None if properties is None else list(properties))


def _restored(parts: tuple[str, str, list[str], str | None]) -> Spec:
    text, name, properties, folder = parts
    return Spec.from_text(text, name=name, properties=properties, folder=folder)
