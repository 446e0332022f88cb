// SPDX-License-Identifier: GPL-3.0-or-later
// What a person has written to a file is there whole or not at all: a full disk, or an end in the middle,
// leaves the old file as it was (core/export/whole_file.h). Waits for the disk; any thread.
#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include <optional>

namespace rankscope::ui {

// Nothing, or why the file could not be written.
[[nodiscard]] std::optional<QString> saveFile(const QString& path, const QByteArray& content);

// The picture as a PNG file; empty when there is none, or none so large.
[[nodiscard]] QByteArray pngOf(const QImage& picture);
// The same, saved. What cannot be drawn takes no other picture's place.
[[nodiscard]] std::optional<QString> savePng(const QString& path, const QImage& picture);

} // namespace rankscope::ui
