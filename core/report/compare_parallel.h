// SPDX-License-Identifier: GPL-3.0-or-later
// What the tables of parallelism say of a side, as figures that another side can be laid beside: sizes of
// groups, communication by dimension, DDP buckets, FSDP units, ZeRO stages, tensor-parallel layers, pipeline
// stages and experts. A figure is the mean over ranks and kept steps. Nothing from digests, which have no
// layout. O(rows of the tables).
#pragma once

#include "core/analysis/compare/comparison.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <vector>

namespace rankscope {

// side: has the steps, of which the kept ones count.
[[nodiscard]] std::vector<SideFigure> layoutFigures(const JobReport& report, const SideFacts& side);

[[nodiscard]] ResultTable compareParallelTable(const Comparison& comparison);

} // namespace rankscope
