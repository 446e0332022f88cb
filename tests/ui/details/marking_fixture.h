// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline with the panels for ranges, regions and search matches.
#pragma once

#include "tests/ui/timeline_fixture.h"
#include "ui/actions/actions.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/find_tools.h"
#include "ui/details/mark_tools.h"
#include "ui/details/range_panel.h"
#include "ui/details/search_field.h"
#include "ui/job/event_finder.h"
#include "ui/tables/result_table_model.h"
#include "ui/tables/table_card.h"
#include "ui/timeline/tracks/range_tracks.h"

#include <memory>
#include <utility>

namespace rankscope::ui::test_timeline {

struct Marking : Shown {
  BottomPanel bottom;
  EventFinder finder{session};
  SearchField field{session, finder};
  FindTools find{session, finder, field, view, bottom, view.actions()};
  MarkTools tools{session, view, bottom, find, view.actions()};

  explicit Marking(std::shared_ptr<const TraceSet> trace) : Shown(std::move(trace)) {
    bottom.resize(1200, 300);
    bottom.show();
  }

  [[nodiscard]] bool settles() { return ui::settles(session.pending()); }
  [[nodiscard]] EventRef event(std::string_view name, std::size_t rank = 0) {
    return Shown::find(name, rank);
  }
  // Of a name that the range panel lists; its cell in a column of the table.
  [[nodiscard]] QString cell(std::string_view name, std::string_view column) {
    const ResultTableModel& model = tools.rangePanel().card(RangePanel::kNames).model();
    for (int row = 0; row < model.rowCount(); ++row)
      if (model.textOf(row, "name") == QLatin1String(name.data(), static_cast<int>(name.size())))
        return model.textOf(row, column);
    return QStringLiteral("no such name");
  }
  [[nodiscard]] QStringList tracksOfRange() {
    QStringList names;
    for (const RankTracks& of : session.rangeTracks()) {
      const RankEntry& entry = session.trace()->rank(of.rank);
      for (const TrackIndex track : of.tracks)
        names << QStringLiteral("%1:%2")
                     .arg(entry.rank)
                     .arg(QString::fromStdString(markedTrackId(entry.trace->tracks[track.value])));
    }
    return names;
  }
};

} // namespace rankscope::ui::test_timeline
