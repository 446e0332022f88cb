// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/stacks/stacks_export.h"

#include "core/export/csv.h"
#include "core/export/whole_file.h"
#include "core/report/stack_files.h"
#include "ui/base/ui_text.h"

#include <QFileInfo>

namespace rankscope::ui {

QStringList stackFileTypes(const StacksToExport& what) {
  QStringList types{tr("Folded stacks (*.folded)"), tr("CSV (*.csv)"), tr("SVG (*.svg)")};
  // These have no weights below 0.
  if (what.stacks && what.stacks->weight != StackWeight::NetBytes)
    types << tr("speedscope (*.speedscope.json)") << tr("pprof (*.pb.gz)");
  return types;
}

std::string stacksAsFile(const StacksToExport& what, const QString& fileName) {
  const auto is = [&](const char* suffix) {
    return fileName.endsWith(QLatin1String(suffix), Qt::CaseInsensitive);
  };
  if (what.difference) {
    if (is(".csv")) return toCsv(stacksTable(*what.difference));
    if (is(".svg")) return flameSvg(*what.difference, what.title);
    return foldedText(*what.difference);
  }
  if (!what.stacks) return {};
  if (is(".csv")) return toCsv(stacksTable(*what.stacks));
  if (is(".svg")) return flameSvg(*what.stacks, what.title);
  if (is(".json")) return speedscopeText(*what.stacks, what.title);
  if (is(".pb.gz") || is(".pprof")) return pprofBytes(*what.stacks);
  return foldedText(*what.stacks);
}

QString writeStacks(const StacksToExport& what, const QString& path) {
  const auto error = writeWholeFile(path.toStdString(), stacksAsFile(what, path));
  return error ? QString::fromStdString(error->text()) : tr("Wrote %1").arg(QFileInfo(path).fileName());
}

} // namespace rankscope::ui
