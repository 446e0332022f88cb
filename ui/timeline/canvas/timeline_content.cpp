// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/canvas/timeline_content.h"

#include "ui/base/text_scale.h"
#include "ui/timeline/picture/time_ticks.h"

#include <QPainter>

#include <cmath>

namespace rankscope::ui {
namespace {

void clear(LanePicture& picture) {
  const ContentView& view = picture.view;
  std::vector<std::int32_t> grid;
  if (view.trace) {
    const TimeTicks ticks =
        foldedTicks(view.window, view.size.width(), picture.px(scaledToText(tickGapOf(view.rulerUnit))),
                    view.trace->extent().begin, view.folds ? *view.folds : TimeFolds());
    for (const TimeNs t : ticks.times) grid.push_back(picture.scale.pixelAt(t));
  }
  const QRgb background = picture.theme().background.rgb();
  picture.raster.clear(background, mixed(background, picture.theme().line.rgb(), 150), grid);
}

} // namespace

TimelineContent::TimelineContent(const TrackLayout& layout, const RankSummaries& summaries)
    : m_layout(layout), m_summaries(summaries) {}

const QImage& TimelineContent::picture(const ContentView& view) {
  if (m_key == view) return m_image;
  const bool otherTrace = !m_key || m_key->traceRevision != view.traceRevision;
  const bool otherColors =
      otherTrace || m_key->themeRevision != view.themeRevision || m_key->colorBy != view.colorBy;
  const bool otherTexts = otherTrace || m_key->scale != view.scale;
  m_key = static_cast<const ContentKey&>(view);
  if (m_image.size() != view.size) m_image = QImage(view.size, QImage::Format_RGB32);
  if (view.trace && otherColors) m_colors = SpanColors(*view.theme, view.trace->names(), view.colorBy);
  if (view.trace && otherTexts) m_labels.emplace(view.trace->names(), view.scale);
  if (!m_image.isNull()) paint(view);
  return m_image;
}

void TimelineContent::paint(const ContentView& view) {
  ++m_paintCount;
  m_buffers.laneSpanCount = 0;
  LanePicture picture{view,      m_summaries,         m_colors,
                      m_buffers, SpanRaster(m_image), PixelScale(view.window, view.size.width())};
  clear(picture);
  if (!view.trace) return;
  const int bottom = view.scrollTop + static_cast<int>(std::ceil(view.size.height() / view.scale));
  const std::span<const Lane> lanes = m_layout.lanesWithin(view.scrollTop, bottom);
  for (const Lane& lane : lanes) {
    picture.turnTo(lane.rank);
    lane.kind->paint(picture, lane);
  }
  QPainter painter(&m_image);
  m_labels->paint(painter, picture);
  painter.end();
  if (view.hitsRevision == 0) return;
  for (const Lane& lane : lanes) {
    picture.turnTo(lane.rank);
    lane.kind->paintHits(picture, lane);
  }
}

} // namespace rankscope::ui
