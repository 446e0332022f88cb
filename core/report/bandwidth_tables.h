// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of how fast collectives are: bandwidth by size, fits, predictions; and the text of `predict`.
#pragma once

#include "core/analysis/network/bucket_advice.h"
#include "core/analysis/network/predictions.h"
#include "core/export/result_table.h"

#include <span>
#include <string>

namespace rankscope {

[[nodiscard]] ResultTable bandwidthTable(const JobBandwidth& bandwidth);
[[nodiscard]] ResultTable fitsTable(const JobBandwidth& bandwidth);
// The same for the window, with the size of an AllReduce below which an ideal tree is faster than an ideal
// ring.
[[nodiscard]] ResultTable fitsView(const JobBandwidth& bandwidth);
[[nodiscard]] ResultTable predictionsTable(std::span<const Prediction> predictions);

[[nodiscard]] ResultTable bucketAdviceTable(std::span<const BucketAdvice> advice);
[[nodiscard]] std::string bucketAdviceText(std::span<const BucketAdvice> advice);

// For a terminal, with the size at which a ring becomes faster than a tree.
// Of each group and collective, what its largest messages reach beside what the links give, and the fit;
// empty when nothing was measured.
[[nodiscard]] std::string bandwidthText(const JobBandwidth& bandwidth);

[[nodiscard]] std::string predictionsText(const JobBandwidth& bandwidth,
                                          std::span<const Prediction> predictions);

} // namespace rankscope
