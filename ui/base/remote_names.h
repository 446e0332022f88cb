// SPDX-License-Identifier: GPL-3.0-or-later
// Names of remotes among paths.
#pragma once

#include "core/io/load/remote_traces.h"
#include "core/io/remote/remote_credentials.h"

#include <QFile>
#include <QString>

namespace rankscope::ui {

// Whether the path names a remote and no file here.
[[nodiscard]] inline bool isRemote(const QString& path) {
  return isRemotePath(QFile::encodeName(path).toStdString());
}

// An address of a remote that the program opens; by its form alone.
[[nodiscard]] inline bool isOpenedAddress(const QString& text) {
  const std::string typed = QFile::encodeName(text).toStdString();
  return looksRemote(typed) && !needsConfigured(typed) && remoteNameOf(typed, {}).ok();
}

// The path; of a remote without its credentials, which are kept in memory.
[[nodiscard]] inline QString withoutCredentialsKept(const QString& path) {
  if (!isRemote(path)) return path;
  return QFile::decodeName(
      QByteArray::fromStdString(keepingCredentials(QFile::encodeName(path).toStdString())));
}

} // namespace rankscope::ui
