// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/save_file.h"

#include "core/export/whole_file.h"

#include <QBuffer>
#include <QCoreApplication>

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
  if (!picture.save(&buffer, "PNG")) file.clear();
  return file;
}

std::optional<QString> savePng(const QString& path, const QImage& picture) {
  const QByteArray file = pngOf(picture);
  if (file.isEmpty()) return QCoreApplication::translate("SaveFile", "the image could not be rendered");
  return saveFile(path, file);
}

} // namespace rankscope::ui
