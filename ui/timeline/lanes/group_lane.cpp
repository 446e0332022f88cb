// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/group_lane.h"

#include "core/model/rank_recordings.h"
#include "core/model/recorded_once.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/lane_header.h"
#include "ui/timeline/lanes/lane_picture.h"
#include "ui/timeline/lanes/rank_lane.h"
#include "ui/timeline/lanes/straggler_badge.h"
#include "ui/timeline/picture/highlight_hatches.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMostDrawn = 24;        // ranks whose mean is drawn, evenly spaced in the group
constexpr std::uint32_t kDominantShare = 128; // of 255: more than half of a column's time
constexpr std::size_t kMostListed = 24;       // ranges of ranks in a tooltip
constexpr int kNoSeparators = 1 << 30;

using SetOf = std::function<const IntervalSet*(RankIndex)>;

// The mean of the ranks' shares, by column. Captures of a rank lie apart in time: each counts whole.
std::vector<std::uint32_t> meanCover(LanePicture& picture, std::span<const RankIndex> recordings,
                                     const SetOf& setOf) {
  const int width = picture.view.size.width();
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(width));
  std::set<int> known; // ranks
  for (const RankIndex rank : recordings) {
    const IntervalSet* const set = setOf(rank);
    if (set == nullptr) continue;
    known.insert(picture.view.trace->rank(rank).rank);
    picture.turnTo(rank);
    coverSpans(*set, picture.scale, picture.buffers.cover);
    for (const CoverSpan& span : picture.buffers.cover)
      for (int x = std::max(0, span.begin); x < std::min(width, span.end); ++x)
        sums[static_cast<std::size_t>(x)] += span.busy;
  }
  if (known.size() > 1)
    for (std::uint32_t& sum : sums) sum /= static_cast<std::uint32_t>(known.size());
  return sums;
}

void addInk(std::vector<ColorSpan>& ink, const std::vector<std::uint32_t>& means, QColor color) {
  for (std::size_t x = 0; x < means.size(); ++x) {
    if (means[x] == 0) continue;
    const auto begin = static_cast<std::int32_t>(x);
    const auto busy = static_cast<std::uint8_t>(std::min<std::uint32_t>(means[x], 255));
    if (!ink.empty() && ink.back().end == begin && ink.back().busy == busy && ink.back().color == color.rgb())
      ++ink.back().end;
    else
      ink.push_back({begin, begin + 1, color.rgb(), busy});
  }
}

// "0-6, 8, 10-57"
QString rankNumbers(const TraceSet& traces, const std::vector<RankIndex>& ranks) {
  std::vector<int> numbers;
  numbers.reserve(ranks.size());
  for (const RankIndex rank : ranks) numbers.push_back(traces.rank(rank).rank);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  QStringList parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts << (last == i ? QString::number(numbers[i])
                        : QStringLiteral("%1-%2").arg(numbers[i]).arg(numbers[last]));
    i = last + 1;
  }
  if (static_cast<std::size_t>(parts.size()) > kMostListed)
    parts = parts.mid(0, static_cast<qsizetype>(kMostListed)) << QStringLiteral("…");
  return parts.join(QStringLiteral(", "));
}

class GroupLanes : public LaneKind {
 public:
  GroupLanes() : LaneKind({.id = "group", .shows = LaneShows::Words, .movable = false}) {}

  int height() const override { return 22; }

  // Above the mean of compute, below that of communication.
  void paint(LanePicture& picture, const Lane& lane) const override {
    const auto [top, bottom] = picture.linesOf(lane);
    const QRgb ground = picture.theme().raised.rgb();
    picture.raster.fillLines(top, bottom - top, ground);
    picture.raster.fillLines(top, std::max(1, picture.px(1)), picture.theme().line.rgb());
    if (lane.group == nullptr || lane.group->ranks.empty()) return;
    const std::vector<RankIndex> drawn = someRecordings(*picture.view.trace, lane.group->ranks, kMostDrawn);
    const RankLaneParts parts = rankLaneParts(lane.height);
    const int height = picture.px(parts.height);
    const Theme& theme = picture.theme();
    const RankSummaries& summaries = picture.summaries;
    const auto device = [&](IntervalSet DeviceActivity::*set) -> SetOf {
      return [&summaries, set](RankIndex rank) {
        const DeviceActivity* const activity = summaries.activityOf(rank);
        return activity && !activity->busy.empty() ? &(activity->*set) : nullptr;
      };
    };
    const auto communicating = [&](IntervalSet DeviceActivity::*set) -> SetOf {
      return [&summaries, set](RankIndex rank) {
        const DeviceActivity* const activity = summaries.communicatingOf(rank);
        return activity ? &(activity->*set) : nullptr;
      };
    };
    const SetOf hostBusy = [&summaries](RankIndex rank) {
      const RankSummary* const summary = summaries.of(rank);
      return summary && !summary->hostBusy.empty() ? &summary->hostBusy : nullptr;
    };
    std::vector<ColorSpan>& ink = picture.buffers.ink;
    ink.clear();
    addInk(ink, meanCover(picture, drawn, hostBusy), theme.cpuOp);
    addInk(ink, meanCover(picture, drawn, device(&DeviceActivity::memory)), theme.memoryCopy);
    addInk(ink, meanCover(picture, drawn, device(&DeviceActivity::compute)), theme.kernel);
    picture.raster.drawLaneOn(ground, top + picture.px(parts.upper), height, ink, kNoSeparators);
    ink.clear();
    addInk(ink, meanCover(picture, drawn, communicating(&DeviceActivity::communication)),
           theme.communication);
    const int lower = top + picture.px(parts.lower);
    picture.raster.drawLaneOn(ground, lower, height, ink, kNoSeparators);
    if (picture.view.shown.exposed)
      hatchExposed(picture, meanCover(picture, drawn, communicating(&DeviceActivity::exposed)), lower,
                   height);
  }

  void paintHeader(HeaderPicture& picture, const Section& section, const QRect& box, int) const override {
    picture.painter.fillRect(box, picture.theme.raised);
    if (section.group != nullptr && section.group->captures)
      return paintRankOfCaptures(picture, section, box);
    paintLabelLine(
        picture, section,
        {kHeaderTextLeft, box.top() + 1, box.width() - kHeaderTextLeft - kHeaderRightPadding, box.height()});
  }

  // A lane of captures with a rank is that of the capture.
  LaneHit hitAt(const LaneFacts& facts, const Lane& lane, const PixelScale& scale, std::int32_t column,
                int y) const override {
    return lane.rank.valid() ? foldedRankLanes().hitAt(facts, lane, scale, column, y)
                             : LaneKind::hitAt(facts, lane, scale, column, y);
  }

  QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange) const override {
    if (lane.group == nullptr) return {};
    return lane.group->title(facts.traces) + QLatin1Char('\n') + texts(facts, *lane.group);
  }

  QString inWords(const LaneFacts& facts, const Section& section) const override {
    const bool captures = section.group != nullptr && section.group->captures;
    const StragglerNote* const straggler = captures ? stragglerOf(facts, *section.group) : nullptr;
    return straggler == nullptr ? section.label
                                : section.label + QStringLiteral(", ") + stragglerText(facts, *straggler);
  }

  QString describe(const LaneFacts& facts, const Section& section) const override {
    if (section.group == nullptr) return section.label;
    return section.label + QLatin1Char('\n') + texts(facts, *section.group);
  }

 private:
  // As the header of a rank.
  static void paintRankOfCaptures(HeaderPicture& picture, const Section& section, const QRect& box) {
    paintFoldMark(picture.painter, picture.hovered ? picture.theme.text : picture.theme.muted,
                  {kHeaderArrowLeft + 4.0, box.top() + box.height() / 2.0 + 0.5}, !section.folded);
    const QRect line = box.adjusted(kHeaderTextLeft, 1, -kHeaderRightPadding, 0);
    const TextCache::Text& text = picture.titles.elided(section.label, line.width());
    picture.painter.setPen(picture.theme.text);
    picture.titles.draw(picture.painter, line, text);
    if (const StragglerNote* const straggler = stragglerOf(picture.facts, *section.group))
      paintStraggler(picture, straggler->gain, box, line.adjusted(text.width + 11, 0, 0, 0));
  }

  // Of the captures of a rank the one that costs most.
  static const StragglerNote* stragglerOf(const LaneFacts& facts, const RankGroup& group) {
    const StragglerNote* most = nullptr;
    for (const RankIndex rank : group.ranks) {
      const StragglerNote* const note = facts.stragglerOf(rank);
      if (note != nullptr && (most == nullptr || note->straggler.cost > most->straggler.cost)) most = note;
    }
    return most;
  }

  static QString texts(const LaneFacts& facts, const RankGroup& group) {
    if (group.captures) return capturesText(facts, group);
    QString text = tr("ranks %1").arg(rankNumbers(facts.traces, group.ranks));
    const std::size_t count = rankRows(facts.traces, group.ranks).count();
    if (count > 1)
      text += QLatin1Char('\n') +
              (count > kMostDrawn ? tr("drawn: compute and communication, mean of %1 of them").arg(kMostDrawn)
                                  : tr("drawn: compute and communication, mean of the ranks"));
    return text;
  }

  static QString capturesText(const LaneFacts& facts, const RankGroup& group) {
    const RankEntry& entry = facts.traces.rank(group.ranks.front());
    QStringList lines;
    if (!entry.host.empty()) lines += QString::fromStdString(entry.host);
    if (!entry.gpu.empty()) lines += QString::fromStdString(entry.gpu);
    if (const StragglerNote* const note = stragglerOf(facts, group)) lines += stragglerText(facts, *note);
    lines += recordedOnce(facts.traces, group.ranks).size() == group.ranks.size()
                 ? tr("drawn: compute and communication of every capture")
                 : tr("drawn: compute and communication, once where two profilers recorded them");
    return lines.join(QLatin1Char('\n'));
  }

  static void hatchExposed(LanePicture& picture, const std::vector<std::uint32_t>& means, int top,
                           int height) {
    const Hatch hatch = anchoredTo(exposedHatch(picture.theme(), picture.view.scale), picture.view.window,
                                   picture.view.size.width());
    for (std::size_t x = 0; x < means.size();) {
      std::size_t end = x;
      while (end < means.size() && means[end] >= kDominantShare) ++end;
      if (end > x)
        picture.raster.hatch(top, height, static_cast<std::int32_t>(x), static_cast<std::int32_t>(end),
                             hatch);
      x = end + 1;
    }
  }
};

} // namespace

std::vector<RankIndex> someRecordings(const TraceSet& traces, std::span<const RankIndex> recordings,
                                      std::size_t most) {
  std::vector<RankIndex> shown;
  const auto add = [&](std::size_t count, auto&& addRow) {
    const std::size_t some = std::min(count, most);
    for (std::size_t i = 0; i < some; ++i) addRow(i * count / some);
  };
  if (!traces.severalCaptures()) { // every frame asks
    add(recordings.size(), [&](std::size_t row) { shown.push_back(recordings[row]); });
    return shown;
  }
  const std::vector<RankIndex> once = recordedOnce(traces, recordings);
  const RankRows ranks = rankRows(traces, once);
  std::set<std::size_t> rows;
  add(ranks.count(), [&](std::size_t row) { rows.insert(row); });
  for (std::size_t i = 0; i < once.size(); ++i)
    if (rows.contains(ranks.rowOf[i])) shown.push_back(once[i]);
  return shown;
}

QString RankGroup::title(const TraceSet& traces) const {
  if (captures)
    return ranks.size() == 1 ? tr("%1  ·  1 capture").arg(label)
                             : tr("%1  ·  %2 captures").arg(label).arg(ranks.size());
  const std::size_t count = rankRows(traces, ranks).count();
  if (alike) return tr("%1 similar ranks").arg(count);
  return count == 1 ? tr("%1  ·  1 rank").arg(label) : tr("%1  ·  %2 ranks").arg(label).arg(count);
}

const LaneKind& groupLanes() {
  static const GroupLanes kind;
  return kind;
}

} // namespace rankscope::ui
