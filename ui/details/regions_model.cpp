// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/regions_model.h"

#include "core/base/unit_text.h"
#include "ui/base/theme.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"

#include <algorithm>

namespace rankscope::ui {

RegionsModel::RegionsModel(TraceSession& session, QObject* parent)
    : QAbstractTableModel(parent), m_session(session) {
  const auto refresh = [this] {
    const int rows = m_session.trace() ? static_cast<int>(m_session.marks().regions().size()) : 0;
    if (rows == m_rows) { // a running edit is not interrupted
      if (rows > 0) emit dataChanged(index(0, 0), index(rows - 1, kColumnCount - 1));
      return;
    }
    beginResetModel();
    m_rows = rows;
    endResetModel();
  };
  connect(&session.marks(), &Marks::changed, this, refresh);
  connect(&session, &TraceSession::traceChanged, this, refresh);
  connect(&session, &TraceSession::themeChanged, this, refresh);
  refresh();
}

int RegionsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_rows;
}

int RegionsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QVariant RegionsModel::data(const QModelIndex& index, int role) const {
  if (index.row() < 0 || index.row() >= rowCount()) return {};
  const Region& region = m_session.marks().regions()[static_cast<std::size_t>(index.row())];
  const bool figure = index.column() == kBegin || index.column() == kDuration;
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::FontRole) return figure ? numberFont(12) : textFont(12);
  if (role == Qt::CheckStateRole && index.column() == kSaved)
    return region.saved ? Qt::Checked : Qt::Unchecked;
  if (role == Qt::ToolTipRole && index.column() == kNote) return region.note;
  if (role == Qt::ToolTipRole && index.column() == kColor) return tr("Click for the next color");
  if (role == Qt::DecorationRole && index.column() == kColor)
    return markColor(m_session.theme(), region.color);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  switch (index.column()) {
  case kName:
    return region.name;
  case kBegin:
    return textOf(timeText(region.range.begin - m_session.trace()->extent().begin, 1000));
  case kDuration:
    return region.isNote() ? tr("a time") : textOf(durationText(region.range.length()));
  case kColor:
    return markColorName(region.color);
  case kTracks:
    return region.tracks.empty() ? tr("all") : QString::number(region.tracks.size());
  case kNote:
    return region.note;
  default:
    return {};
  }
}

bool RegionsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (index.row() < 0 || index.row() >= rowCount()) return false;
  const auto position = static_cast<std::size_t>(index.row());
  Region region = m_session.marks().regions()[position];
  if (role == Qt::CheckStateRole && index.column() == kSaved)
    region.saved = value.toInt() == Qt::Checked;
  else if (role == Qt::EditRole && index.column() == kName && !value.toString().trimmed().isEmpty())
    region.name = value.toString().trimmed();
  else if (role == Qt::EditRole && index.column() == kNote)
    region.note = value.toString();
  else if (role == Qt::EditRole && index.column() == kColor)
    region.color = std::clamp(value.toInt(), 0, kMarkColors - 1);
  else
    return false;
  // Notes are saved by default.
  if (index.column() == kNote && !region.note.isEmpty()) region.saved = true;
  m_session.marks().change(position, region);
  return true;
}

QVariant RegionsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue((section == kBegin || section == kDuration ? Qt::AlignRight : Qt::AlignLeft) |
                               Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    const QStringList tips{tr("Name of the region; double-click to change it"),
                           tr("Begin of the region, from the first event of the job"),
                           tr("Length of the region, in time"),
                           tr("Number of tracks that the region is of"),
                           tr("Saved with the job; other regions last until the window closes"),
                           tr("Color of the region in the ruler and over the lanes"),
                           tr("Your own words; double-click to change them")};
    return tips[section];
  }
  if (role != Qt::DisplayRole) return {};
  const QStringList titles{tr("Name"),  tr("Start"), tr("Duration"), tr("Tracks"),
                           tr("Saved"), tr("Color"), tr("Note")};
  return titles[section];
}

Qt::ItemFlags RegionsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (index.column() == kName || index.column() == kNote) flags |= Qt::ItemIsEditable;
  if (index.column() == kSaved) flags |= Qt::ItemIsUserCheckable;
  return flags;
}

} // namespace rankscope::ui
