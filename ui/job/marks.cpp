// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/marks.h"

#include <QUndoStack>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope::ui {

// Stores all regions before and after a change: there are few, and this cannot become inconsistent.
class RegionsCommand : public QUndoCommand {
 public:
  RegionsCommand(Marks& marks, const QString& what, std::vector<Region> after)
      : QUndoCommand(what), m_marks(marks), m_before(marks.m_regions), m_after(std::move(after)) {}

  void undo() override { m_marks.setRegions(m_before); }
  void redo() override { m_marks.setRegions(m_after); }

 private:
  Marks& m_marks;
  std::vector<Region> m_before;
  std::vector<Region> m_after;
};

std::string markedTrackId(const Track& track) {
  static constexpr std::array kKinds{"annotations", "thread",   "python",   "stream", "gpu_annotations",
                                     "sync",        "instants", "overhead", "other"};
  return std::string(kKinds[static_cast<std::size_t>(track.kind)]) + '|' + track.process + '|' + track.thread;
}

std::vector<MarkedTrack> markedTracks(const TraceSet& traces, const std::vector<RankTracks>& tracks) {
  std::vector<MarkedTrack> marked;
  for (const RankTracks& of : tracks) {
    const RankEntry& entry = traces.rank(of.rank);
    for (const TrackIndex track : of.tracks)
      marked.push_back({entry.rank, entry.capture, markedTrackId(entry.trace->tracks[track.value])});
  }
  return marked;
}

std::vector<RankTracks> rankTracksOf(const TraceSet& traces, const std::vector<MarkedTrack>& marked) {
  std::map<std::pair<int, int>, std::set<std::string>> wanted;
  for (const MarkedTrack& track : marked) wanted[{track.rank, track.capture}].insert(track.id);
  std::vector<RankTracks> tracks;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
    const RankEntry& entry = traces.ranks()[i];
    const auto ids = wanted.find({entry.rank, entry.capture});
    if (ids == wanted.end()) continue;
    RankTracks of{RankIndex(i), {}};
    for (std::size_t track = 0; track < entry.trace->tracks.size(); ++track)
      if (ids->second.contains(markedTrackId(entry.trace->tracks[track]))) of.tracks.emplace_back(track);
    if (!of.tracks.empty()) tracks.push_back(std::move(of));
  }
  return tracks;
}

Marks::Marks(QUndoStack& undo, QObject* parent) : QObject(parent), m_undo(undo) {}

std::optional<std::size_t> Marks::find(TimeRange range) const {
  const auto found = std::ranges::find(m_regions, range, &Region::range);
  if (found == m_regions.end()) return std::nullopt;
  return static_cast<std::size_t>(found - m_regions.begin());
}

QColor markColor(const Theme& theme, int color) {
  const std::array<QColor, kMarkColors> colors{theme.accent, theme.good,          theme.warn,
                                               theme.bad,    theme.communication, theme.backward};
  return colors[color >= 0 && color < kMarkColors ? static_cast<std::size_t>(color) : 0];
}

QString markColorName(int color) {
  const std::array<QString, kMarkColors> names{Marks::tr("Blue"), Marks::tr("Green"),  Marks::tr("Amber"),
                                               Marks::tr("Red"),  Marks::tr("Violet"), Marks::tr("Teal")};
  return names[color >= 0 && color < kMarkColors ? static_cast<std::size_t>(color) : 0];
}

std::optional<std::size_t> Marks::chosenNote() const {
  if (!m_chosenNote) return std::nullopt;
  return find({*m_chosenNote, *m_chosenNote});
}

void Marks::chooseNote(std::optional<std::size_t> position) {
  std::optional<TimeNs> time;
  if (position && *position < m_regions.size() && m_regions[*position].isNote())
    time = m_regions[*position].range.begin;
  if (std::exchange(m_chosenNote, time) != time) emit changed();
}

QString Marks::freeName(bool note) const {
  for (std::size_t i = m_regions.size() + 1;; ++i) {
    QString name = note ? tr("Note %1").arg(i) : tr("Region %1").arg(i);
    if (std::ranges::find(m_regions, name, &Region::name) == m_regions.end()) return name;
  }
}

void Marks::push(const QString& what, std::vector<Region> regions) {
  m_undo.push(new RegionsCommand(*this, what, std::move(regions)));
}

void Marks::add(const Region& region) {
  std::vector<Region> regions = m_regions;
  regions.push_back(region);
  push(tr("add %1").arg(region.name), std::move(regions));
}

void Marks::remove(std::size_t position) {
  if (position >= m_regions.size()) return;
  std::vector<Region> regions = m_regions;
  const QString name = regions[position].name;
  regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(position));
  push(tr("remove %1").arg(name), std::move(regions));
}

void Marks::change(std::size_t position, const Region& region) {
  if (position >= m_regions.size() || m_regions[position] == region) return;
  std::vector<Region> regions = m_regions;
  regions[position] = region;
  push(tr("edit %1").arg(region.name), std::move(regions));
}

void Marks::setRegions(std::vector<Region> regions) {
  std::ranges::stable_sort(
      regions, {}, [](const Region& region) { return std::tuple(region.range.begin, region.range.end); });
  if (regions == m_regions) return;
  m_regions = std::move(regions);
  emit changed();
}

ResultTable regionsTable(const std::vector<Region>& regions, TimeNs origin) {
  ResultTable table("regions", {{"name", Unit::Text},
                                {"begin_us", Unit::Nanoseconds},
                                {"end_us", Unit::Nanoseconds},
                                {"duration_us", Unit::Nanoseconds},
                                {"tracks", Unit::Count},
                                {"kept", Unit::Text},
                                {"note", Unit::Text}});
  for (const Region& region : regions) {
    const std::string name = region.name.toStdString();
    const std::string note = region.note.toStdString();
    const Cell tracks =
        region.tracks.empty() ? Cell() : Cell(static_cast<std::int64_t>(region.tracks.size()));
    table.addRow({textCell(name), region.range.begin - origin, region.range.end - origin,
                  region.range.length(), tracks, std::string_view(region.saved ? "yes" : "no"),
                  textCell(note)});
  }
  return table;
}

} // namespace rankscope::ui
