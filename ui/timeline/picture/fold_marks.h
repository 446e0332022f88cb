// SPDX-License-Identifier: GPL-3.0-or-later
// Marks where long times without a recording are folded: a band with torn edges, and its text.
#pragma once

#include "ui/base/theme.h"
#include "ui/job/time_folds.h"

#include <QRectF>
#include <QString>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

class QPainter;

namespace rankscope::ui {

struct FoldMark {
  std::size_t fold = 0;
  QRectF band;
  bool operator==(const FoldMark&) const = default;
};

// Those that overlap the window, from left to right. xOf: position of a drawn time.
[[nodiscard]] std::vector<FoldMark> foldMarks(const TimeFolds& folds, TimeRange window,
                                              const std::function<double(TimeNs)>& xOf, const QRectF& area);
void paintFold(QPainter& painter, const Theme& theme, const QRectF& band);

// The fold drawn at this time.
[[nodiscard]] std::optional<std::size_t> foldAt(const TimeFolds& folds, TimeNs drawn);
// Its whole length, as short text and as a sentence.
[[nodiscard]] QString foldLabel(const TimeFold& fold);
[[nodiscard]] QString foldTip(const TimeFold& fold);

} // namespace rankscope::ui
