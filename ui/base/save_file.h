// SPDX-License-Identifier: GPL-3.0-or-later
// Atomic file writes: on a full disk or an interruption the old file stays unchanged
// (core/export/whole_file.h). Blocks on the disk; any thread.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <optional>

namespace rankscope::ui {

// Empty, or the reason of the failure.
[[nodiscard]] std::optional<QString> saveFile(const QString& path, const QByteArray& content);

// The image as PNG; empty if it is null or too large.
[[nodiscard]] QByteArray pngOf(const QImage& picture);
// The same, written to a file. A failed encoding leaves an existing file unchanged.
[[nodiscard]] std::optional<QString> savePng(const QString& path, const QImage& picture);

} // namespace rankscope::ui
