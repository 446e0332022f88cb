// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/rank_lane.h"

#include "core/analysis/findings/gain.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "ui/base/counted.h"
#include "ui/base/short_name.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/lane_header.h"
#include "ui/timeline/lanes/lane_picture.h"
#include "ui/timeline/lanes/row_highlights.h"
#include "ui/timeline/lanes/straggler_badge.h"
#include "ui/timeline/lanes/track_label.h"
#include "ui/timeline/picture/highlight_hatches.h"

#include <algorithm>

namespace rankscope::ui {
namespace {

constexpr std::uint8_t kDominantShare = 128; // of 255: more than half of a column's time
constexpr int kCaptureIndent = 14;           // from the header of its rank

QString utf8(const std::string& text) {
  return QString::fromStdString(text);
}

// Shortens a GPU model for a narrow column: "NVIDIA H100 80GB HBM3" becomes "H100".
QString shortGpu(const std::string& name) {
  QString gpu = utf8(name);
  for (const char* word :
       {"NVIDIA ", "AMD ", "Instinct ", "Tesla ", "GeForce ", "Intel(R) ", "Data Center GPU "})
    gpu.remove(QLatin1String(word));
  return gpu.section(' ', 0, 0).section('-', 0, 0);
}

// The longest event at this column in the rank's lanes: communication or anything else.
RowSpan longestOfStreams(const RankTrace& trace, const PixelScale& scale, std::int32_t column,
                         bool communication) {
  RowSpan longest;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream) continue;
    for (std::uint32_t i = 0; i < track.rowCount; ++i) {
      const RowSpan span = spanAt(trace, RowIndex(track.firstRow.value + i), scale, column);
      if (span.count == 0 || (trace.events.kind[span.event] == EventKind::Collective) != communication)
        continue;
      if (longest.count == 0 || trace.events.duration[span.event] > trace.events.duration[longest.event])
        longest = span;
    }
  }
  return longest;
}

void paintHighlights(LanePicture& picture, RankIndex rank, int upper, int lower, int height) {
  const ContentView& view = picture.view;
  const int width = view.size.width();
  const auto lay = [&](const IntervalSet& set, int top, const Hatch& hatch, int smallest) {
    coverSpans(set, picture.scale, picture.buffers.cover);
    const Hatch anchored = anchoredTo(hatch, view.window, width);
    for (const CoverSpan& span : picture.buffers.cover) {
      if (span.busy >= kDominantShare && span.end - span.begin >= smallest)
        picture.raster.hatch(top, height, span.begin, span.end, anchored);
    }
  };
  const Theme& theme = picture.theme();
  const DeviceActivity& activity = *picture.summaries.activityOf(rank);
  if (view.shown.idle && !activity.busy.empty())
    lay(picture.summaries.of(rank)->idle, upper, idleHatch(theme, view.scale), picture.px(4));
  if (view.shown.waits && view.highlights)
    lay(view.highlights->waits(rank), lower, waitHatch(theme, view.scale, false), 1);
  if (!view.shown.exposed) return;
  lay(picture.summaries.communicatingOf(rank)->exposed, lower, exposedHatch(theme, view.scale), 1);
  if (view.shown.waits && view.highlights)
    lay(view.highlights->exposedWaits(rank), lower, waitHatch(theme, view.scale, true), 1);
}

// Parts of a rank's header, expanded or collapsed.
class RankLanes : public LaneKind {
 public:
  using LaneKind::LaneKind;

  void paint(LanePicture& picture, const Lane& lane) const override {
    const auto [top, bottom] = picture.linesOf(lane);
    picture.raster.fillLines(top, bottom - top, picture.theme().panel.rgb());
    picture.raster.fillLines(top, std::max(1, picture.px(1)), picture.theme().line.rgb());
  }

  void paintHeader(HeaderPicture& picture, const Section& section, const QRect& box, int) const override {
    QPainter& painter = picture.painter;
    const Theme& theme = picture.theme;
    const RankEntry& entry = picture.facts.traces.rank(section.rank);
    const int indent = section.capture ? scaledToText(kCaptureIndent) : 0;
    painter.fillRect(box, picture.hovered ? theme.raised : theme.panel);
    painter.fillRect(QRect(box.left(), box.top(), box.width(), 1), theme.line);
    const bool selected = picture.selection.valid() && picture.selection.rank == section.rank;
    if (selected) painter.fillRect(QRect(0, box.top(), 3, box.height()), theme.accent);
    paintFoldMark(painter, picture.hovered ? theme.text : theme.muted,
                  {kHeaderArrowLeft + 4.0 + indent, box.top() + box.height() / 2.0 + 0.5}, isOpen());
    TextCache& titles = section.capture                      ? picture.texts
                        : box.height() >= rankHeaderHeight() ? picture.titles
                                                             : picture.denseTitles;
    const QRect line = box.adjusted(kHeaderTextLeft + indent, 1, -kHeaderRightPadding, 0);
    const TextCache::Text& text = titles.elided(title(picture.facts.traces, section), line.width());
    painter.setPen(theme.text);
    titles.draw(painter, line, text);
    QRect rest = line.adjusted(text.width + 11, 0, 0, 0);
    if (picture.facts.truncated(section.rank) != nullptr) {
      const TextCache::Text& truncated = picture.texts.elided(tr("truncated"), rest.width());
      painter.setPen(theme.warn);
      picture.texts.draw(painter, rest, truncated);
      rest.adjust(truncated.width + 8, 0, 0, 0);
    }
    QStringList facts;
    if (!entry.host.empty()) facts += utf8(entry.host);
    if (!entry.gpu.empty()) facts += shortGpu(entry.gpu);
    if (const StragglerNote* const straggler = picture.facts.stragglerOf(section.rank))
      return paintStraggler(picture, straggler->gain, box, rest, facts);
    if (rest.width() < 20) return;
    painter.setPen(theme.muted);
    picture.texts.draw(painter, rest, picture.texts.elided(facts.join(QStringLiteral(" · ")), rest.width()));
  }

  QString title(const TraceSet& traces, const Section& section) const override {
    if (section.capture) return tr("Capture %1").arg(traces.rank(section.rank).capture);
    return rankTitle(traces, section.rank);
  }

  QString inWords(const LaneFacts& facts, const Section& section) const override {
    const RankEntry& entry = facts.traces.rank(section.rank);
    QStringList words{rankTitle(facts.traces, section.rank)};
    if (!entry.host.empty()) words << utf8(entry.host);
    if (!entry.gpu.empty()) words << utf8(entry.gpu);
    if (const StragglerNote* const straggler = facts.stragglerOf(section.rank))
      words << stragglerText(facts, *straggler);
    if (facts.truncated(section.rank) != nullptr) words << tr("truncated file");
    return words.join(QStringLiteral(", "));
  }

  QString describe(const LaneFacts& facts, const Section& section) const override {
    const RankEntry& entry = facts.traces.rank(section.rank);
    QStringList lines{rankTitle(facts.traces, section.rank)};
    if (!entry.host.empty()) lines += utf8(entry.host);
    if (!entry.gpu.empty()) lines += utf8(entry.gpu);
    if (const StragglerNote* const note = facts.stragglerOf(section.rank))
      lines += stragglerText(facts, *note);
    if (const CutRank* const cut = facts.truncated(section.rank))
      lines += tr("Truncated file: %1. Means over ranks leave it out.").arg(utf8(missingText(*cut)));
    if (digestOf(facts.traces, section.rank) != nullptr)
      lines += tr("Digest: click to load the events of this rank.");
    lines += counted(static_cast<qint64>(entry.trace->fileEvents), tr("1 event"), tr("%1 events"));
    if (entry.file.valid() && entry.file.value < facts.traces.files().size())
      lines += utf8(facts.traces.file(entry.file).path);
    if (entry.trace->deviceBegin == entry.trace->deviceEnd)
      lines +=
          tr("No GPU activity recorded: profile with %1 to see kernels, idle time and exposed communication.")
              .arg(utf8(optionFor(Recordable::Device, facts.traces)));
    return lines.join('\n');
  }

 private:
  [[nodiscard]] bool isOpen() const { return traits().shows == LaneShows::Words; }
};

class OpenRankLanes : public RankLanes {
 public:
  OpenRankLanes() : RankLanes({.id = "expanded rank", .shows = LaneShows::Words, .rankHeader = true}) {}

  // An expanded rank has space for the whole text.
  LaneNote note(const LaneFacts& facts, const Section& section) const override {
    const StragglerNote* const note = facts.stragglerOf(section.rank);
    if (!note) return {};
    QString sentence = tr("straggler: gain %1/step").arg(utf8(gainText(note->gain)));
    if (note->cause.part != LatePart::Unknown) {
      const std::string_view part = latePartText(note->cause.part);
      sentence += QStringLiteral(" · ") + QString::fromUtf8(part.data(), static_cast<qsizetype>(part.size()));
    }
    if (note->cause.name.valid()) {
      const std::string name = shortName(note->cause.onDevice ? EventKind::Kernel : EventKind::CpuOp,
                                         facts.traces.names()[note->cause.name]);
      sentence += QStringLiteral(": ") + utf8(name);
    }
    return {sentence, true};
  }
};

class FoldedRankLanes : public RankLanes {
 public:
  FoldedRankLanes()
      : RankLanes({.id = "collapsed rank", .shows = LaneShows::WholeRank, .rankHeader = true}) {}

  void paint(LanePicture& picture, const Lane& lane) const override {
    RankLanes::paint(picture, lane);
    const RankSummary* const summary = picture.summaries.of(lane.rank);
    if (!summary) return;
    const DeviceActivity& activity = *picture.summaries.activityOf(lane.rank);
    const Theme& theme = picture.theme();
    const QRgb ground = theme.panel.rgb();
    const RankLaneParts parts = rankLaneParts(lane.height);
    const int top = picture.linesOf(lane).first;
    const int height = picture.px(parts.height);
    const int upper = top + picture.px(parts.upper);
    const int lower = top + picture.px(parts.lower);

    constexpr int kNoSeparators = 1 << 30;
    const bool onDevice = !activity.busy.empty();
    std::vector<ColorSpan>& ink = picture.buffers.ink;
    ink.clear();
    if (onDevice) {
      picture.cover(activity.memory, theme.memoryCopy);
      picture.cover(activity.compute, theme.kernel);
    } else {
      picture.cover(summary->hostBusy, theme.cpuOp);
    }
    picture.raster.drawLaneOn(ground, upper, height, ink, kNoSeparators);
    ink.clear();
    picture.cover(onDevice ? activity.communication : summary->onHost.communication, theme.communication);
    picture.raster.drawLaneOn(ground, lower, height, ink, kNoSeparators);
    paintHighlights(picture, lane.rank, upper, lower, height);
  }

  void paintHits(LanePicture& picture, const Lane& lane) const override {
    // A line separates the rank from the one above.
    const auto [laneTop, bottom] = picture.linesOf(lane);
    const int top = laneTop + std::max(1, picture.px(1));
    std::vector<MarkSpan>& marks = picture.buffers.marks;
    marks.clear();
    if (const RankHits* const found = picture.view.hits->of(lane.rank))
      markSpans(picture.trace(lane.rank), found->byTime, picture.scale, marks);
    paintMarks(picture.raster, picture.theme(), top, bottom - top, picture.view.size.width(),
               std::max(1, picture.px(2)), marks);
  }

  // A collapsed rank shows all its streams at once.
  LaneHit hitAt(const LaneFacts& facts, const Lane& lane, const PixelScale& scale, std::int32_t column,
                int y) const override {
    const bool communication = y >= lane.height / 2;
    // Of the other half a digest has only the few events that its results name.
    if (!communication && digestOf(facts.traces, lane.rank) != nullptr)
      return {&lane, {}, 0, idleGapAt(facts, lane.rank, scale.timeAt(column))};
    const RowSpan span = longestOfStreams(facts.trace(lane.rank), scale, column, communication);
    if (span.count > 0)
      return {&lane, {lane.rank, span.event}, span.end - span.begin == 1 ? span.count : 1, std::nullopt};
    return {&lane, {}, 0, communication ? std::nullopt : idleGapAt(facts, lane.rank, scale.timeAt(column))};
  }
};

} // namespace

const LaneKind& openRankLanes() {
  static const OpenRankLanes kind;
  return kind;
}

const LaneKind& foldedRankLanes() {
  static const FoldedRankLanes kind;
  return kind;
}

RankLaneParts rankLaneParts(int laneHeight) {
  constexpr int kGap = 2;
  const int edge = laneHeight >= rankHeaderHeight() ? 4 : 3;
  const int height = (laneHeight - 2 * edge - kGap) / 2;
  return {edge, edge + height + kGap, height};
}

int rankHeaderHeight() {
  return scaledToText(24);
}

} // namespace rankscope::ui
