# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether a data frame is nothing but Parquet files that the workers can read themselves.

What the JVM reads it turns into rows, and the rows into Arrow, which takes longer than all the rest. So where Spark
would do no more than read, the workers read, and Spark only says who reads what. Wherever there is a doubt whether
that would be the same, the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import types as T

from ._columns import is_classic, quoted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: With more files their footers take too long to read one after the other.
MANY_FILES = 10_000

PROJECT = "org.apache.spark.sql.catalyst.plans.logical.Project"
ATTRIBUTE = "org.apache.spark.sql.catalyst.expressions.AttributeReference"
SOURCES = "org.apache.spark.sql.execution.datasources"
RELATION = f"{SOURCES}.LogicalRelation"
#: What a relation must be, and what it must have: Delta and others have some that only look alike.
PARTS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda relation: relation, f"{SOURCES}.HadoopFsRelation"),
    (lambda relation: relation.fileFormat(), f"{SOURCES}.parquet.ParquetFileFormat"),
    (lambda relation: relation.location(), f"{SOURCES}.InMemoryFileIndex"),
]
#: Options that say which files are read, not what is in them.
HARMLESS = {
    *("path", "basepath", "mergeschema", "recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter")
}
#: Settings with which Spark finds something else in them, and the values that do it.
SETTINGS = {
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.parquet.fieldId.read.enabled": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "legacy",
    "spark.sql.parquet.int96RebaseModeInRead": "legacy",
    "spark.sql.parquet.int96TimestampConversion": "true",
}
#: What Spark says of a file that it wrote; and of those of old versions, with dates of another calendar.
WRITTEN = b"org.apache.spark.version"
LEGACY = {b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96"}
#: What Spark writes for timestamps unless it is asked for something else. It has nanoseconds, of which Spark reads none.
OLD_TIMES = "INT96"

PLAIN: dict[T.DataType, pa.DataType] = {
    T.StringType(): pa.string(),
    T.BooleanType(): pa.bool_(),
    T.ByteType(): pa.int8(),
    T.ShortType(): pa.int16(),
    T.IntegerType(): pa.int32(),
    T.LongType(): pa.int64(),
    T.FloatType(): pa.float32(),
    T.DoubleType(): pa.float64(),
    T.DateType(): pa.date32(),
    T.TimestampType(): pa.timestamp("us", "UTC"),
    T.TimestampNTZType(): pa.timestamp("us"),
}
#: Bytes that a value takes, of those types that take always as many.
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
TIMES = (T.IntegralType, T.DecimalType, T.DateType, T.TimestampType, T.TimestampNTZType)


@dataclass(frozen=True)
class Piece:
    """A row group of a file."""

    path: str
    group: int
    rows: int
    #: The number of its first row among those of all files, which are in the order of their names.
    first: int


@dataclass(frozen=True)
class Files:
    """What is to be read."""

    pieces: tuple[Piece, ...]
    #: The columns, with their types.
    schema: pa.Schema
    #: What they take in memory, in bytes, roughly.
    size: int


def files(df: DataFrame, names: Sequence[str], time: str, key: str | None) -> Files | None:
    """The files behind these columns of a data frame; `None` if it is more than that, or they are not plain."""
    settings = df.sparkSession.conf
    if not is_classic(df) or any(str(settings.get(name)).lower() == other for name, other in SETTINGS.items()):
        return None
    chosen = df.select(*(quoted(name) for name in names))
    types = {field.name: arrow_type(field.dataType) for field in chosen.schema}
    if None in types.values() or not isinstance(chosen.schema[time].dataType, TIMES):
        return None
    if key is not None and pa.types.is_nested(types[key]):
        return None
    schema = pa.schema(types.items())
    paths = local_paths(chosen, names)
    return row_groups(paths, schema) if paths is not None else None


def arrow_type(kind: T.DataType) -> pa.DataType | None:
    """What a column of this type is in a file, if there is no doubt."""
    if isinstance(kind, T.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, T.ArrayType):
        element = arrow_type(kind.elementType)
        return pa.list_(element) if element is not None else None
    if isinstance(kind, T.StructType):
        fields = {field.name: arrow_type(field.dataType) for field in kind}
        return pa.struct(fields.items()) if None not in fields.values() else None
    return PLAIN.get(kind)


def local_paths(df: DataFrame, names: Sequence[str]) -> list[str] | None:
    """The files of a data frame that only reads columns of files."""
    plan = df._jdf.queryExecution().optimizedPlan()
    if class_of(plan) == PROJECT:
        outputs = plan.projectList()
        if any(class_of(outputs.apply(index)) != ATTRIBUTE for index in range(outputs.size())):
            return None
        plan = plan.child()
    if class_of(plan) != RELATION:
        return None
    relation = plan.relation()
    if any(class_of(part(relation)) != name for part, name in PARTS):
        return None
    options = set(relation.options().keys().mkString("\n").lower().split())
    in_folders = {name.lower() for name in relation.partitionSchema().fieldNames()}
    if not options <= HARMLESS or not in_folders.isdisjoint(name.lower() for name in names):
        return None
    # Not `df.inputFiles()`, which has a file once that is read twice.
    addresses = [urlsplit(address) for address in relation.location().inputFiles()]
    paths = [unquote(address.path) for address in addresses]
    # Spark lists `_metadata`, but does not read it.
    hidden = any(PurePath(path).name.startswith(("_", ".")) for path in paths)
    remote = any(address.scheme != "file" or address.netloc for address in addresses)
    return None if hidden or remote or len(paths) > MANY_FILES else sorted(paths)


def class_of(thing: Any) -> str:
    return str(thing.getClass().getName())


def row_groups(paths: list[str], schema: pa.Schema) -> Files | None:
    """All row groups of the files, if each file has these columns, in these types."""
    pieces = []
    first = size = 0
    for path in paths:
        try:
            with open_file(path) as file:
                metadata, own = file.metadata, file.schema_arrow
                leaves = [file.schema.column(index) for index in range(len(file.schema))]
        except (OSError, pa.ArrowException):
            return None
        start = len(pieces)
        said = set(metadata.metadata or {})
        old = {leaf.path for leaf in leaves if leaf.physical_type == OLD_TIMES} if WRITTEN in said else set()
        if said & LEGACY or not all(agrees(own, old, field) for field in schema):
            return None
        wanted = [index for index, leaf in enumerate(leaves) if leaf.path.split(".")[0] in schema.names]
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            pieces.append(Piece(path, len(pieces) - start, group.num_rows, first))
            first += group.num_rows
            size += sum(unpacked(group.column(index)) for index in wanted)
    return Files(tuple(pieces), schema, size)


def unpacked(column: pq.ColumnChunkMetaData) -> int:
    """What a column of a row group takes in memory, in bytes, roughly."""
    if column.physical_type in WIDTHS:
        return int(column.num_values * WIDTHS[column.physical_type])
    # What is in a dictionary is there once, and more often in memory.
    return int(column.total_uncompressed_size * (4 if column.has_dictionary_page else 1) + column.num_values * 4)


def open_file(path: str, **options: Any) -> pq.ParquetFile:
    return pq.ParquetFile(path, coerce_int96_timestamp_unit="us", **options)


def agrees(own: pa.Schema, old: set[str], wanted: pa.Field) -> bool:
    """Whether a file has a column once, and means by it what Spark does. `old`: columns of old times that it wrote."""
    if own.names.count(wanted.name) != 1:
        return False
    kind = own.field(wanted.name).type
    if pa.types.is_timestamp(kind) and (kind.tz is not None or wanted.name in old):
        # In the file it is UTC, whatever is to be shown.
        kind = pa.timestamp(kind.unit, "UTC")
    if pa.types.is_large_string(kind):
        kind = pa.string()
    return bool(kind == wanted.type)
