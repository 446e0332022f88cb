// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/column_definitions.h"

#include "ui/base/ui_text.h"

#include <QFile>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rankscope::ui {

namespace {

// Markdown of a cell without its marks: "`leaf`" and "[Findings](findings.md)".
QString plainText(QString text) {
  static const QRegularExpression kLink(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
  text.replace(kLink, QStringLiteral("\\1"));
  return text.remove(QLatin1Char('`')).trimmed();
}

using Definitions = std::map<std::pair<QString, QString>, QString>; // by column and table

// Of columns that only tables of the window have.
struct WindowColumn {
  const char* name;
  const char* definition;
};

constexpr std::array<WindowColumn, 29> kWindowColumns{{
    {"backend", QT_TRANSLATE_NOOP("ColumnDefinitions", "communication library of the process group")},
    {"bound_by", QT_TRANSLATE_NOOP("ColumnDefinitions", "what the end of the segment depended on")},
    {"compute_capability", QT_TRANSLATE_NOOP("ColumnDefinitions", "CUDA compute capability of the device")},
    {"cost_bytes", QT_TRANSLATE_NOOP("ColumnDefinitions", "memory that the finding costs")},
    {"count", QT_TRANSLATE_NOOP("ColumnDefinitions", "number of slices")},
    {"cut", QT_TRANSLATE_NOOP("ColumnDefinitions", "slices that extend beyond the range")},
    {"description", QT_TRANSLATE_NOOP("ColumnDefinitions", "name that the program gave the process group")},
    {"devices", QT_TRANSLATE_NOOP("ColumnDefinitions", "number of devices in the row")},
    {"file", QT_TRANSLATE_NOOP("ColumnDefinitions", "file that the message is about")},
    {"finding", QT_TRANSLATE_NOOP("ColumnDefinitions", "short title of the finding")},
    {"gdr_pct", QT_TRANSLATE_NOOP("ColumnDefinitions", "share of the network's links with GPUDirect RDMA")},
    {"host_us",
     QT_TRANSLATE_NOOP("ColumnDefinitions", "time with an operator, call or collective on the host")},
    {"id", QT_TRANSLATE_NOOP("ColumnDefinitions", "as on the command line")},
    {"init_part", QT_TRANSLATE_NOOP("ColumnDefinitions", "the part of the initialization that took longest")},
    {"input_shapes",
     QT_TRANSLATE_NOOP("ColumnDefinitions", "shapes of the tensors that the operator was called with")},
    {"links", QT_TRANSLATE_NOOP("ColumnDefinitions", "links between ranks, over all channels")},
    {"mean_bytes", QT_TRANSLATE_NOOP("ColumnDefinitions", "mean message size of a call")},
    {"memory_bytes", QT_TRANSLATE_NOOP("ColumnDefinitions", "memory of the device")},
    {"name", QT_TRANSLATE_NOOP("ColumnDefinitions", "name as recorded")},
    {"processes", QT_TRANSLATE_NOOP("ColumnDefinitions", "processes that logged it")},
    {"ranks", QT_TRANSLATE_NOOP("ColumnDefinitions", "ranks in the row")},
    {"rate_gbit_s", QT_TRANSLATE_NOOP("ColumnDefinitions", "rate of a port in Gbit/s")},
    {"self_us", QT_TRANSLATE_NOOP("ColumnDefinitions", "sum of durations excluding nested slices")},
    {"shape", QT_TRANSLATE_NOOP("ColumnDefinitions", "number of hosts and ranks of each")},
    {"text", QT_TRANSLATE_NOOP("ColumnDefinitions", "what was repaired, skipped or suspicious")},
    {"track", QT_TRANSLATE_NOOP("ColumnDefinitions", "thread or stream, as in the timeline")},
    {"variable", QT_TRANSLATE_NOOP("ColumnDefinitions", "environment variable")},
    {"where", QT_TRANSLATE_NOOP("ColumnDefinitions", "rank and step with the best evidence")},
    {"without_gdr", QT_TRANSLATE_NOOP("ColumnDefinitions", "links in which data goes through host memory")},
}};

// Rows "| `name` | unit | definition |" below a heading "## `table`".
Definitions readDefinitions() {
  Definitions read;
  QFile file(QStringLiteral(":/help/columns.md"));
  if (!file.open(QIODevice::ReadOnly)) return read;
  static const QRegularExpression kHeading(QStringLiteral("^## `(\\w+)`"));
  static const QRegularExpression kRow(QStringLiteral("^\\| `(\\w+)` \\| ([^|]*) \\| (.*) \\|$"));
  QString table;
  for (const QString& line : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
    if (const auto heading = kHeading.match(line); heading.hasMatch()) table = heading.captured(1);
    const auto row = kRow.match(line);
    if (!row.hasMatch()) continue;
    read.emplace(std::pair(row.captured(1), table), plainText(row.captured(3)));
  }
  return read;
}

} // namespace

QString columnDefinition(std::string_view table, std::string_view column) {
  static const Definitions kDefinitions = readDefinitions();
  const QString wanted = textOf(column);
  const QString of = textOf(table);
  // The table itself, else the one with the most similar name: "kernel_totals" are "kernels".
  const auto likeness = [&](const QString& other) {
    return std::mismatch(of.begin(), of.end(), other.begin(), other.end()).first - of.begin();
  };
  QString best;
  qsizetype most = -1;
  for (auto row = kDefinitions.lower_bound({wanted, {}});
       row != kDefinitions.end() && row->first.first == wanted; ++row) {
    if (row->first.second == of) return row->second;
    if (likeness(row->first.second) <= most) continue;
    most = likeness(row->first.second);
    best = row->second;
  }
  const auto known = std::ranges::find(kWindowColumns, column,
                                       [](const WindowColumn& each) { return std::string_view(each.name); });
  // A name of the guide may mean something else in a table that it does not know.
  if (known != kWindowColumns.end() && most <= 0) return tr(known->definition);
  return best;
}

QString unitNote(Unit unit) {
  switch (unit) {
  case Unit::Text:
    break;
  case Unit::Identity:
    return tr("Unit: none, a number that names something");
  case Unit::Count:
    return tr("Unit: count");
  case Unit::Nanoseconds:
    return tr("Unit: time; µs in exports");
  case Unit::Bytes:
    return tr("Unit: bytes");
  case Unit::Percent:
    return tr("Unit: %");
  case Unit::GigabytesPerSecond:
    return tr("Unit: GB/s, 10⁹ bytes per second");
  case Unit::Ratio:
    return tr("Unit: none, a ratio");
  }
  return {};
}

} // namespace rankscope::ui
