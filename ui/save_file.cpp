// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/save_file.h"

#include "core/export/whole_file.h"

#include <QBuffer>

#include <string_view>

namespace rankscope::ui {

std::optional<QString> saveFile(const QString& path, const QByteArray& content) {
  const std::string_view bytes(content.constData(), static_cast<std::size_t>(content.size()));
  const auto error = writeWholeFile(path.toStdString(), bytes);
  if (!error) return std::nullopt;
  return QString::fromStdString(error->message);
}

QByteArray pngOf(const QImage& picture) {
  QByteArray file;
  QBuffer buffer(&file);
  buffer.open(QIODevice::WriteOnly);
  picture.save(&buffer, "PNG");
  return file;
}

} // namespace rankscope::ui
