# SPDX-License-Identifier: MIT OR Apache-2.0
"""Columns that are added on the way, with names that no log has."""

BUCKET = "_gnomon_bucket"
PLACE = "_gnomon_place"
MOMENT = "_gnomon_moment"
