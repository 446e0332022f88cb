# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of training jobs in Python, by rankscope-cli. Needs the standard library alone; gives pandas tables if
pandas is there.

    import rankscope
    job = rankscope.Job("/data/run7/traces")
    job.query("SELECT name, sum(duration_ns) AS ns FROM kernel_events GROUP BY name ORDER BY ns DESC LIMIT 10")
    job.table("steps")
    job.stacks(weight="device")
    job.compare("/data/run8/traces")
"""
import collections
import csv
import io
import json
import os
import shutil
import subprocess

__all__ = ["Error", "Job", "Rows", "program", "version"]


class Error(Exception):
    """A question that could not be answered; `status` is the exit status of rankscope-cli."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


class Rows(list):
    """Rows as named tuples. `columns` are their names, `units` the units by name: us, bytes, pct, gb_s, count, id,
    ratio, text, or None if unknown. `truncated`: there are more rows than the limit."""

    def __init__(self, columns, units, rows, truncated=False):
        names = [name if name.isidentifier() else f"column_{i + 1}" for i, name in enumerate(columns)]
        row = collections.namedtuple("Row", names, rename=True)
        super().__init__(row(*values) for values in rows)
        self.columns = list(columns)
        self.units = dict(zip(columns, units))
        self.truncated = truncated

    def to_pandas(self):
        """The rows as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame([tuple(row) for row in self], columns=self.columns)


def program():
    """Path of rankscope-cli: $RANKSCOPE_CLI, else as found in $PATH."""
    found = os.environ.get("RANKSCOPE_CLI") or shutil.which("rankscope-cli")
    if not found:
        raise Error("rankscope-cli is not in PATH; set RANKSCOPE_CLI", None)
    return found


def _run(arguments, text_input=None):
    done = subprocess.run([program(), *arguments], input=text_input, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8")
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"rankscope-cli ended with status {done.returncode}", done.returncode)
    return done.stdout


def version():
    """Version of rankscope-cli: "0.1.0"."""
    return _run(["--version"]).split()[-1]


def _value(text, unit):
    if text == "":
        return None
    if unit == "text":
        return text
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


class Job:
    """A training job: trace files, or folders with them. `options` are those of rankscope-cli that choose a part of it:
    capture=1, steps="3..7", ranks="0,3-5", skip_python=True."""

    def __init__(self, *paths, as_pandas=None, **options):
        if not paths:
            raise ValueError("a path is required")
        self.paths = [os.fspath(path) for path in paths]
        self.as_pandas = as_pandas
        self.options = []
        for name, value in options.items():
            flag = "--" + name.replace("_", "-")
            if value is True:
                self.options.append(flag)
            elif value is not None and value is not False:
                self.options += [flag, str(value)]

    def __repr__(self):
        return f"Job({', '.join(map(repr, self.paths))})"

    def _command(self, name, *arguments):
        return [name, *self.paths, "--quiet", *self.options, *map(str, arguments)]

    def _given(self, rows):
        if self.as_pandas is False:
            return rows
        try:
            return rows.to_pandas()
        except ImportError:
            if self.as_pandas:
                raise
            return rows

    def query(self, sql, timeout=None, limit=None, other=None):
        """The answer to a question in SQL: a pandas.DataFrame if pandas is there, else Rows. other: another job, whose
        tables are b.steps and so on."""
        options = ["--format", "jsonl", "--file", "/dev/stdin"]
        for path in [] if other is None else other.paths if isinstance(other, Job) else [os.fspath(other)]:
            options += ["--with", path]
        if timeout:
            options += ["--timeout", timeout]
        if limit:
            options += ["--limit", limit]
        lines = _run(self._command("query", *options), sql).splitlines()
        columns = json.loads(lines[0])["columns"]
        end = json.loads(lines[-1])
        rows = [json.loads(line) for line in lines[1:-1]]
        return self._given(Rows([c["name"] for c in columns], [c["unit"] for c in columns], rows, end["truncated"]))

    def table(self, name):
        """A result table, as the CSV of this name."""
        return self.query(f'SELECT * FROM "{name}"')

    def tables(self):
        """Names of all tables with their columns."""
        found = {}
        for line in _run(["query", "--schema"]).splitlines()[1:]:
            if not line.strip():
                break
            words = line.split("  ")
            columns = [word.strip() for word in words[-1].split(",")]
            found[line.split()[0]] = columns
        return found

    def compare(self, other, by="class"):
        """What changed from this job to another one: rows of the table for class, module, operator, kernel, collective or
        rank."""
        paths = other.paths if isinstance(other, Job) else [os.fspath(other)]
        text = _run(self._command("compare", "--with", *paths, "--by", by, "--format", "csv"))
        return self._given(_csv_rows(text))

    def stacks(self, weight="host"):
        """Stacks and what they weigh: host, device, device-exclusive, exposed, idle, wait, bytes, calls, launches."""
        return self._given(_csv_rows(_run(self._command("stacks", "--weight", weight, "--format", "csv"))))

    def to_sqlite(self, path, tables=None):
        """Writes tables as an SQLite file: by default all result tables and the smaller raw ones."""
        options = ["--format", "sqlite", "--out", os.fspath(path)]
        if tables:
            options += ["--tables", ",".join(tables)]
        _run(self._command("query", *options))
        return path


def _csv_rows(text):
    lines = list(csv.reader(io.StringIO(text, newline="")))
    columns = lines[0]
    numeric = []
    for i in range(len(columns)):
        values = [line[i] for line in lines[1:] if line[i] != ""]
        numeric.append(all(_is_number(value) for value in values) and bool(values))
    units = [None if number else "text" for number in numeric]
    rows = [[_value(value, unit) for value, unit in zip(line, units)] for line in lines[1:]]
    return Rows(columns, units, rows)


def _is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False
