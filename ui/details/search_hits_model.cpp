// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/search_hits_model.h"

#include "core/base/unit_text.h"
#include "ui/base/short_name.h"
#include "ui/base/theme.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/track_label.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::ui {
namespace {

bool isFigure(int column) {
  return column == SearchHitsModel::kBegin || column == SearchHitsModel::kDuration;
}

} // namespace

void SearchHitsModel::setHits(std::shared_ptr<const TraceSet> trace, std::vector<EventRef> hits) {
  beginResetModel();
  m_trace = std::move(trace);
  m_hits = std::move(hits);
  endResetModel();
}

EventRef SearchHitsModel::hitAt(int row) const {
  return row >= 0 && static_cast<std::size_t>(row) < m_hits.size() ? m_hits[static_cast<std::size_t>(row)]
                                                                   : EventRef();
}

int SearchHitsModel::rowOf(EventRef event) const {
  const auto found = std::ranges::find(m_hits, event);
  return found == m_hits.end() ? -1 : static_cast<int>(found - m_hits.begin());
}

int SearchHitsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_hits.size());
}

int SearchHitsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumnCount;
}

QString SearchHitsModel::text(EventRef hit, int column) const {
  const RankTrace& trace = *m_trace->rank(hit.rank).trace;
  const EventColumns& events = trace.events;
  switch (column) {
  case kBegin:
    return textOf(timeText(events.begin[hit.event] - m_trace->extent().begin, 1000));
  case kDuration:
    return textOf(durationText(events.duration[hit.event]));
  case kName:
    return textOf(shortName(events.kind[hit.event], m_trace->names()[events.name[hit.event]]));
  case kRank:
    return rankTitle(*m_trace, hit.rank);
  case kTrack:
    return trackLabel(trace, m_trace->names(), trace.tracks[trace.trackOf(hit.event).value], true)
        .simplified();
  default:
    return textOf(kindText(events.kind[hit.event]));
  }
}

QVariant SearchHitsModel::data(const QModelIndex& index, int role) const {
  const EventRef hit = hitAt(index.row());
  if (!hit.valid() || !m_trace) return {};
  switch (role) {
  case Qt::DisplayRole:
    return text(hit, index.column());
  case Qt::ToolTipRole:
    if (index.column() != kName) return text(hit, index.column());
    return textOf(m_trace->names()[m_trace->rank(hit.rank).trace->events.name[hit.event]]);
  case Qt::TextAlignmentRole:
    return QVariant::fromValue((isFigure(index.column()) ? Qt::AlignRight : Qt::AlignLeft) |
                               Qt::AlignVCenter);
  case Qt::FontRole:
    return isFigure(index.column()) ? numberFont(12) : nameFont(12);
  default:
    return {};
  }
}

QVariant SearchHitsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue((isFigure(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    const QStringList tips{tr("Begin of the slice, from the first event of the job"),
                           tr("Time from the begin to the end of the slice"),
                           tr("Name as recorded"),
                           tr("Rank that recorded the slice"),
                           tr("Thread or stream, as in the timeline"),
                           tr("What the slice is: operator, kernel, memcpy, communication …")};
    return tips[section];
  }
  if (role != Qt::DisplayRole) return {};
  const QStringList titles{tr("Start"), tr("Duration"), tr("Name"), tr("Rank"), tr("Track"), tr("Kind")};
  const QString arrow = m_order == Qt::AscendingOrder ? QStringLiteral(" ↑") : QStringLiteral(" ↓");
  return titles[section] + (section == m_sortedBy ? arrow : QString());
}

void SearchHitsModel::sort(int column, Qt::SortOrder order) {
  // Tracks and kinds have no natural order.
  if (column < kBegin || column > kRank) return;
  m_sortedBy = column;
  m_order = order;
  emit headerDataChanged(Qt::Horizontal, 0, kColumnCount - 1);
  const bool descending = order == Qt::DescendingOrder;
  constexpr std::array kOrders{HitOrder::Time, HitOrder::Duration, HitOrder::Name, HitOrder::Rank};
  const HitOrder wanted = kOrders[static_cast<std::size_t>(column)];
  // HitOrder::Duration is longest first.
  emit orderWanted(wanted, wanted == HitOrder::Duration ? !descending : descending);
}

} // namespace rankscope::ui
