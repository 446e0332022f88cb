// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/band_lane.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr std::size_t kMostNamed = 4; // odd ranks beside a label
constexpr int kNoteHeight = 15;       // of the text above the area

QString percent(double share) {
  return QString::fromStdString(percentText(100 * share));
}

QString percent(std::uint8_t share) {
  return percent(static_cast<double>(share) / 255);
}

BandOf bandOf(std::uint32_t number) {
  return static_cast<BandOf>(number);
}

// When a pixel of a lane of the job is: such a lane is drawn with folds. Never empty.
TimeRange jobTimeOf(const TimeFolds* folds, TimeRange column) {
  if (folds != nullptr) column = {folds->toJob(column.begin), folds->toJob(column.end)};
  if (column.empty()) column.end = column.begin + 1;
  return column;
}

class BandLanes : public LaneKind {
 public:
  BandLanes() : LaneKind({.id = "band"}) {}

  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    if (rank.valid() || !hasBands(traces)) return;
    const auto add = [&](BandOf what, const char* id, const QString& label, const QString& of) {
      items.push_back({.kind = this,
                       .place = LanePlace::Counters,
                       .key = {-1, 0, id},
                       .label = label,
                       .hint = tr("Share of the time with %1 among all ranks. Dark: least, middle: median, "
                                  "light: most")
                                   .arg(of),
                       .track = {},
                       .number = static_cast<std::uint32_t>(what)});
    };
    add(BandOf::Compute, "band/compute", tr("Compute of all ranks"), tr("compute"));
    add(BandOf::ExposedCommunication, "band/exposed", tr("Exposed communication of all ranks"),
        tr("communication and no compute"));
  }

  int height() const override { return 52; }

  void paint(LanePicture& picture, const Lane& lane) const override {
    const RankBands* const bands = picture.summaries.bands();
    if (bands == nullptr) return;
    const RankBand& band = bands->of(bandOf(lane.number));
    const std::pair<int, int> lines = picture.linesOf(lane);
    const int text = std::min(picture.px(scaledToText(kNoteHeight)), (lines.second - lines.first) / 2);
    const int top = lines.first + text;
    const int bottom = lines.second;
    const Theme& theme = picture.theme();
    const QColor color = bandOf(lane.number) == BandOf::Compute ? theme.kernel : theme.communication;
    const QRgb ground = theme.background.rgb();
    constexpr int kPale = 60;
    constexpr int kMiddle = 100;
    constexpr int kDark = 150;
    const auto draw = [&](const std::vector<std::uint8_t>& shares, bool largest, int alpha) {
      picture.clearValues();
      std::vector<std::uint8_t>& values = picture.buffers.values;
      for (std::size_t x = 0; x < values.size(); ++x) {
        const TimeRange column =
            jobTimeOf(picture.view.folds, picture.scale.column(static_cast<std::int32_t>(x)));
        if (bands->recorded.coveredWithin(column) == 0) continue;
        const auto first = shares.begin() + static_cast<std::ptrdiff_t>(bands->partAt(column.begin));
        const auto last = shares.begin() + static_cast<std::ptrdiff_t>(bands->partAt(column.end)) + 1;
        values[x] = largest ? *std::max_element(first, last) : *std::min_element(first, last);
      }
      picture.raster.drawArea(top, bottom - top, values, withAlpha(color, alpha).rgba(),
                              mixed(ground, color.rgb(), alpha + kPale));
    };
    draw(band.most, true, kPale);
    draw(band.median, true, kMiddle);
    draw(band.least, false, kDark);
  }

  QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange drawn) const override {
    const RankBands* const bands = facts.summaries.bands();
    if (bands == nullptr) return tr("no data yet");
    const RankBand& band = bands->of(bandOf(lane.number));
    const TimeRange column = jobTimeOf(facts.folds, drawn);
    if (bands->recorded.coveredWithin(column) == 0) return tr("nothing was recorded here");
    const std::size_t part = bands->partAt(column.begin);
    const QString title = bandOf(lane.number) == BandOf::Compute ? tr("Compute of all ranks")
                                                                 : tr("Exposed communication of all ranks");
    return title + QLatin1Char('\n') +
           tr("least %1 (%2)  ·  median %3  ·  most %4 (%5)")
               .arg(percent(band.least[part]), tr("Rank %1").arg(band.leastRank[part]),
                    percent(band.median[part]), percent(band.most[part]),
                    tr("Rank %1").arg(band.mostRank[part])) +
           oddText(band);
  }

  LaneNote note(const LaneFacts& facts, const Section& section) const override {
    const RankBands* const bands = facts.summaries.bands();
    if (bands == nullptr) return {};
    const bool compute = section.key.id == "band/compute";
    const RankBand& band = bands->of(compute ? BandOf::Compute : BandOf::ExposedCommunication);
    return {tr("whole trace: median %1").arg(percent(band.meanShare)) +
                oddText(band).replace('\n', QStringLiteral("  ·  ")),
            false};
  }

 private:
  // The ranks that are farthest from the median, on a line of their own; empty without any.
  static QString oddText(const RankBand& band) {
    QStringList named;
    for (std::size_t i = 0; i < std::min(band.odd.size(), kMostNamed); ++i)
      named << tr("rank %1 %2").arg(band.odd[i].rank).arg(percent(band.odd[i].share));
    if (named.isEmpty()) return {};
    if (band.odd.size() > kMostNamed) named << tr("and %1 more").arg(band.odd.size() - kMostNamed);
    const QString list = named.join(QStringLiteral(", "));
    return QLatin1Char('\n') + (band.odd.size() == 1 ? tr("outlier: %1") : tr("outliers: %1")).arg(list);
  }
};

} // namespace

const LaneKind& bandLanes() {
  static const BandLanes kind;
  return kind;
}

} // namespace rankscope::ui
