# SPDX-License-Identifier: GPL-3.0-or-later
# The example of the guide's page on queries: a job in pandas, from an SQLite file and by rankscope.py.
# example.py JOB_FOLDER OUTPUT_FOLDER
import sqlite3
import sys

import pandas

import rankscope

folder, output = sys.argv[1:3]

# An SQLite file that any program can read.
job = rankscope.Job(folder)
job.to_sqlite(output + "/job.sqlite", tables=["ranks", "steps", "kernels", "kernel_events"])
with sqlite3.connect(output + "/job.sqlite") as file:
    steps = pandas.read_sql_query("SELECT * FROM steps", file)
    kernels = pandas.read_sql_query("SELECT rank, name, duration_ns FROM kernel_events", file)

print(steps.groupby("rank")[["duration_us", "idle_us"]].mean())
print(kernels.groupby("name")["duration_ns"].sum().sort_values(ascending=False).head(5))

# The same question without a file.
asked = job.query("SELECT name, sum(duration_ns) AS total_ns FROM kernel_events GROUP BY name ORDER BY total_ns DESC")
assert asked.set_index("name")["total_ns"].to_dict() == kernels.groupby("name")["duration_ns"].sum().to_dict()
assert steps.equals(job.table("steps").astype(steps.dtypes))
