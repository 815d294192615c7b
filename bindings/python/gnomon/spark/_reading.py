# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads events: through the engine, or directly from Parquet files.

If few tasks check, each of them reads all files and checks the cases that it owns: reading twice costs less than a shuffle
of all events. A task that is lost is repeated alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import functions as F
from pyspark.sql import types as T

from gnomon.part import BoundaryEvent

from ._planning import BUCKET, MARKER, TIME, PLACE, is_classic, numbered, quoted, written
from ._checking import RESULT_COLUMNS, CheckTask
from ._packing import (
    BUCKETS_ENOUGH,
    FEW,
    PACKETS,
    bounds,
    buckets_of,
    is_progress_marker,
    pack,
    pack_batches,
    read_packet,
    copy_marker_to_buckets,
    write_packet,
)

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

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
#: Metadata that Spark adds to a file that it wrote; and of those of old versions, with dates of another calendar.
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
    """The row groups of Parquet files."""

    pieces: tuple[Piece, ...]
    #: The columns, with their types.
    schema: pa.Schema
    #: Their approximate size in memory, in bytes.
    size: int


def files(df: DataFrame, names: Sequence[str], time: str, key: str | None) -> Files | None:
    """Returns the files behind these columns of a data frame; `None` if it computes something, or the files are not plain."""
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
    """Returns the type of a column in a file; `None` if it is ambiguous."""
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
    """Returns the files of a data frame that only reads columns of files."""
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
    """Returns all row groups of the files, if each file has these columns in these types."""
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
    """Returns the approximate size in memory of a column of a row group, in bytes."""
    if column.physical_type in WIDTHS:
        return int(column.num_values * WIDTHS[column.physical_type])
    # A dictionary stores each value once; in memory it may be repeated.
    return int(column.total_uncompressed_size * (4 if column.has_dictionary_page else 1) + column.num_values * 4)


def open_file(path: str, **options: Any) -> pq.ParquetFile:
    return pq.ParquetFile(path, coerce_int96_timestamp_unit="us", **options)


def agrees(own: pa.Schema, old: set[str], wanted: pa.Field) -> bool:
    """Returns true if a file has a column once and Spark reads it the same way. `old`: columns with legacy timestamps."""
    if own.names.count(wanted.name) != 1:
        return False
    kind = own.field(wanted.name).type
    if pa.types.is_timestamp(kind) and (kind.tz is not None or wanted.name in old):
        # In the file it is UTC, whatever is to be shown.
        kind = pa.timestamp(kind.unit, "UTC")
    if pa.types.is_large_string(kind):
        kind = pa.string()
    return bool(kind == wanted.type)


#: Rows that are read at a time.
READ_ROWS = 1 << 17


@dataclass(frozen=True)
class Reading:
    """The row groups of each reading task."""

    shares: tuple[tuple[Piece, ...], ...]
    schema: pa.Schema
    event: str
    time: str
    #: The columns that order events of equal times.
    ties: tuple[str, ...]
    key: str | None

    def pack(self, buckets: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The events of each bucket, in packets."""
        for_buckets = (
            self.bucketed(table, buckets) for table in self.read(numbers(batches), self.schema, self.coded())
        )
        return pack(table.append_column(BUCKET, pa.array(found)) for table, found in for_buckets)

    def everything(self) -> Iterator[pa.Table]:
        """All rows, with their places."""
        return self.read(range(len(self.shares)), self.schema, self.coded())

    def coded(self) -> list[str]:
        """Returns the columns of texts that probably have few values."""
        return [name for name in (self.event, self.key) if name and self.schema.field(name).type == pa.string()]

    def ends(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The first and the last event of what is read. One without a time is neither, and fails the check."""
        columns = pa.schema(self.schema.field(name) for name in dict.fromkeys([self.event, self.time, *self.ties]))
        found: list[pa.Table] = []
        for table in self.read(numbers(batches), columns, []):
            is_event = pc.invert(is_progress_marker(table, self.event))
            timed = table.filter(pc.and_(is_event, pc.is_valid(table.column(self.time))))
            found = [self.outermost([*found, timed])]
        for table in found:
            yield pa.record_batch([pa.array([write_packet(table)], pa.binary())], names=["packet"])

    def boundary_events(self, packets: list[bytes]) -> tuple[BoundaryEvent | None, BoundaryEvent | None]:
        """The first and the last event of all, from those of all shares."""
        found = self.outermost([read_packet(packet) for packet in packets]) if packets else pa.table({})
        if not found.num_rows:
            return None, None
        when = found.column(self.time)
        exact = pa.types.is_timestamp(when.type) and when.type.tz is not None
        times = [written(micros) for micros in when.cast(pa.int64()).to_pylist()] if exact else texts(when)
        first, last = zip(found.column(PLACE).to_pylist(), times, texts(found.column(self.event)), strict=True)
        return first, last

    def outermost(self, tables: list[pa.Table]) -> pa.Table:
        table = pa.concat_tables(tables)
        keys = [(name, "ascending") for name in (self.time, *self.ties, PLACE)]
        order = pc.sort_indices(table, sort_keys=keys)
        return table.take(pa.concat_arrays([order[:1], order[-1:]]))

    def read(self, shares: Iterable[int], columns: pa.Schema, coded: list[str]) -> Iterator[pa.Table]:
        """The rows of these shares; some of their texts are numbers."""
        for share in shares:
            for path, pieces in groupby(self.shares[share], key=lambda piece: piece.path):
                yield from rows_of(path, list(pieces), columns, coded)

    def bucketed(self, table: pa.Table, buckets: int) -> tuple[pa.Table, Any]:
        """Rows and the bucket of each; progress markers are in all of them."""
        if self.key is None:
            return table, np.zeros(table.num_rows, np.int32)
        keys = table.column(self.key).combine_chunks()
        found = buckets_of(keys, table.column(PLACE).to_numpy(), buckets)
        return copy_marker_to_buckets(table, found, buckets, self.event, (self.time,))


def numbers(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    """Yields the numbers in the first column of batches."""
    for batch in batches:
        yield from batch.column(0).to_pylist()


def rows_of(path: str, pieces: list[Piece], columns: pa.Schema, coded: list[str]) -> Iterator[pa.Table]:
    """The rows of neighbouring row groups, with their places."""
    first = pieces[0].first
    with open_file(path, read_dictionary=coded) as file:
        for piece in pieces:
            if piece.group >= file.num_row_groups or file.metadata.row_group(piece.group).num_rows != piece.rows:
                raise RuntimeError(f"`{path}` is not what it was when it was asked how many rows it has")
        groups = [piece.group for piece in pieces]
        for batch in file.iter_batches(READ_ROWS, row_groups=groups, columns=columns.names, use_threads=False):
            columns_of = [typed(batch.column(field.name), field.type) for field in columns]
            places = pa.array(np.arange(first, first + batch.num_rows))
            yield pa.table([*columns_of, places], [*columns.names, PLACE])
            first += batch.num_rows


def typed(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Casts a column to the type of Spark; texts may stay dictionary-encoded."""
    return column.cast(pa.dictionary(pa.int32(), kind) if pa.types.is_dictionary(column.type) else kind)


def texts(column: pa.ChunkedArray) -> list[str]:
    values: list[str] = column.cast(pa.string()).to_pylist()
    return values


def check_packets(packets: DataFrame, task: CheckTask, parts: int) -> DataFrame:
    """Checks packets on the workers."""
    return repartitioned(packets, parts).sortWithinPartitions(BUCKET).mapInArrow(task.check, RESULT_COLUMNS)


def repartitioned(packets: DataFrame, parts: int) -> DataFrame:
    """Keeps each bucket together, and gives each part the same number of buckets if the engine can."""
    if is_classic(packets):
        return packets.repartitionById(parts, F.col(BUCKET) % parts)
    return packets.repartition(parts, BUCKET)


#: Buckets for each partition: so many that their sizes even out and a worker holds a fraction of its partition, but not
#: so many that packets become small.
BUCKETS_EACH = 8


class EngineSource:
    """Events that the engine reads."""

    def __init__(
        self,
        df: DataFrame,
        names: list[str],
        event: str,
        time: str,
        ties: tuple[str, ...],
        key: str | None,
        number: bool,
    ) -> None:
        added = moments(df, time)
        place = F.monotonically_increasing_id().alias(PLACE)
        self.frame = df.select(*(quoted(name) for name in names), *added, place)
        self.event = event
        self.time = time
        self.times = (f"{TIME}_number", f"{TIME}_date") if added else (time,)
        self.ties = ties
        self.key = key
        self.before = numbers_before(df) if number else None

    def partitions(self, usual: int) -> int:
        """As many as the input has, so that they are about as large; enough for all cores, no more than is usual."""
        if self.before is None or not is_classic(self.frame):
            return usual
        return max(1, min(usual, max(len(self.before), self.frame.sparkSession.sparkContext.defaultParallelism)))

    def check(self, task: CheckTask, parts: int) -> DataFrame:
        """Checks the events on the workers."""
        return check_packets(self.packets(parts), task, parts)

    def packets(self, partitions: int) -> DataFrame:
        """The events of each bucket, packed."""
        count = partitions * max(1, min(BUCKETS_EACH, BUCKETS_ENOUGH // partitions)) if self.key is not None else 1
        buckets, bucket = F.lit(count), F.lit(0)
        if self.key is not None:
            # Rows without a case are only counted, not checked: they are distributed evenly.
            bucket = F.when(quoted(self.key).isNull(), F.pmod(F.col(PLACE), buckets)).otherwise(
                F.pmod(F.xxhash64(quoted(self.key)), buckets)
            )
        packing = partial(pack_batches, count, self.event, self.times)
        return self.frame.withColumn(BUCKET, bucket.cast("int")).mapInArrow(packing, PACKETS)

    def ends(self) -> tuple[BoundaryEvent | None, BoundaryEvent | None]:
        """The first and the last event of the whole trace."""
        when = quoted(self.time)
        exact = isinstance(self.frame.schema[self.time].dataType, T.TimestampType)
        text = (F.unix_micros(when) if exact else when.cast("string")).alias("text")
        order = [quoted(name) for name in (*self.times, *self.ties, PLACE)]
        row_of = F.struct(*order, text, quoted(self.event).alias("name"))
        events = self.frame.where(F.coalesce(quoted(self.event) != MARKER, F.lit(True)))
        row = events.select(F.min(row_of).alias("first"), F.max(row_of).alias("last")).first()
        if row is None or row["first"] is None:
            return None, None
        first, last = (
            (numbered(end[PLACE], self.before), written(end["text"]) if exact else end["text"], end["name"])
            for end in (row["first"], row["last"])
        )
        return first, last


def moments(df: DataFrame, time: str) -> list[Column]:
    """Returns columns that sort rows by time. Texts do not sort like their times."""
    if not isinstance(df.schema[time].dataType, T.StringType):
        return []
    text = quoted(time)
    return [
        text.try_cast("decimal(38,12)").alias(f"{TIME}_number"),
        text.try_cast("timestamp").alias(f"{TIME}_date"),
    ]


def numbers_before(df: DataFrame) -> list[int] | None:
    """For each partition of the input, how many rows are in those before it; `None` where that cannot be known.

    Behind a shuffle it cannot: the same rows may be divided otherwise the next time that they are asked for.
    """
    if not is_classic(df) or "Exchange" in df._jdf.queryExecution().executedPlan().toString():
        return None
    counts = df.groupBy(F.spark_partition_id().alias("partition")).count().collect()
    sizes = {row["partition"]: row["count"] for row in counts}
    before, total = [], 0
    for partition in range(max(sizes, default=-1) + 1):
        before.append(total)
        total += sizes.get(partition, 0)
    return before


@dataclass(frozen=True)
class RereadingTask:
    """Reads all files and checks the cases of some parts."""

    reading: Reading
    task: CheckTask
    #: Number of tasks among which the cases are divided.
    parts: int
    #: Number of buckets of each task, which are checked one after the other.
    buckets: int

    def check(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Checks the parts whose numbers are in the batches; returns the results."""
        for part in numbers(batches):
            held = self.gathered(part)
            while held:
                _, pieces = held.popitem()
                yield from self.task.results(self.task.sorting.sorted(pieces))

    def gathered(self, part: int) -> dict[int, list[pa.Table]]:
        """The events of a part, by their buckets, in the order in which they were read."""
        held: dict[int, list[pa.Table]] = {}
        for table in self.reading.everything():
            table, buckets = self.reading.bucketed(table, self.parts * self.buckets)
            own = np.flatnonzero(buckets % self.parts == part)
            rank, starts = bounds(buckets[own])
            rows = decode_large_dictionaries(table.take(pa.array(own[rank])))
            for start, end in pairwise(starts):
                held.setdefault(int(buckets[own[rank[start]]]), []).append(rows.slice(start, end - start))
        return held


def decode_large_dictionaries(table: pa.Table) -> pa.Table:
    """Decodes dictionaries with many values, because each slice of the table carries the whole dictionary."""
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table.column(index).combine_chunks()
            if len(column.dictionary) > FEW:
                table = table.set_column(index, field.name, column.dictionary_decode())
    return table


#: Limits below which each task reads everything, instead of sending events to one another: number of tasks, and bytes of events that a task holds.
MOST_READERS = 8
PART_BYTES = 1 << 28
#: Fewer rows are not worth a task of their own, and fewer not worth it to send events to more tasks than may read everything.
PART_ROWS = 1 << 14
MANY_ROWS = 1 << 23
#: Tasks for each core: so many that none is idle while others have much left.
TASKS_EACH = 2
#: Rows of a task, at most, so that not much is lost with one; and of a bucket, as far as packets stay large enough.
TASK_ROWS = 1 << 22
BUCKET_ROWS = 1 << 18


class FileSource:
    """Events in files."""

    #: A place is a number already.
    before = None

    def __init__(
        self, spark: SparkSession, files: Files, event: str, time: str, ties: tuple[str, ...], key: str | None
    ) -> None:
        self.spark = spark
        self.times = (time,)
        self.rows = sum(piece.rows for piece in files.pieces)
        self.size = files.size
        self.cores = spark.sparkContext.defaultParallelism
        self.tasks = max(TASKS_EACH * self.cores, self.rows // TASK_ROWS)
        self.reading = Reading(divide_evenly(files.pieces, self.tasks), files.schema, event, time, ties, key)

    def partitions(self, usual: int) -> int:
        """One for each core, or two or more, if each can read everything; else as many as there are tasks that read. No more
        than is usual."""
        most = self.cores if self.rows > MANY_ROWS else MOST_READERS
        few = min(self.cores, most, max(1, self.rows // PART_ROWS))
        choices = range(few, MOST_READERS + 1, self.cores)
        return min(usual, next(filter(self.can_reread, choices), self.tasks))

    def can_reread(self, parts: int) -> bool:
        """Returns true if this number of tasks can each read all files."""
        return parts <= MOST_READERS and self.size <= parts * PART_BYTES

    def check(self, task: CheckTask, parts: int) -> DataFrame:
        """Checks the events on the workers."""
        if self.reading.key is None:
            parts = 1
        elif not self.can_reread(parts):
            return check_packets(self.packets(parts), task, parts)
        reader = RereadingTask(self.reading, task, parts, max(1, self.rows // parts // BUCKET_ROWS))
        return self.spark.range(0, parts, 1, parts).mapInArrow(reader.check, RESULT_COLUMNS)

    def packets(self, partitions: int) -> DataFrame:
        """The events of each bucket, packed."""
        buckets = max(partitions, min(self.rows // BUCKET_ROWS, BUCKETS_ENOUGH))
        return self.shares().mapInArrow(partial(self.reading.pack, buckets), PACKETS)

    def ends(self) -> tuple[BoundaryEvent | None, BoundaryEvent | None]:
        """The first and the last event of the whole trace."""
        rows = self.shares().mapInArrow(self.reading.ends, "packet binary").collect()
        return self.reading.boundary_events([bytes(row["packet"]) for row in rows])

    def shares(self) -> DataFrame:
        """Their numbers, each in a partition of its own."""
        count = len(self.reading.shares)
        return self.spark.range(0, count, 1, max(1, count))


def divide_evenly(pieces: Sequence[Piece], shares: int) -> tuple[tuple[Piece, ...], ...]:
    """The pieces in order, in shares of about as many rows each; none is empty."""
    total = sum(piece.rows for piece in pieces)

    def share(piece: Piece) -> int:
        return (2 * piece.first + piece.rows) * shares // (2 * total) if total else 0

    return tuple(tuple(group) for _, group in groupby(pieces, key=share))
