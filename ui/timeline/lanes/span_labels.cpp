// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/span_labels.h"

#include "core/analysis/classify/short_name.h"
#include "ui/base/text_scale.h"
#include "ui/timeline/lanes/row_highlights.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

constexpr int kFont = 10;
constexpr int kTallFont = 11;
constexpr int kTallRow = 16; // rows of at least this height use the larger font

// What a collective does where its kernel is one for all operations; Unknown where its name says it, or
// nothing does.
CollectiveOperation operationToTell(const LanePicture& picture, EventRef event) {
  const RankTrace& trace = picture.trace(event.rank);
  const NameId name = trace.events.name[event.event];
  if (trace.events.kind[event.event] != EventKind::Collective || !picture.view.highlights ||
      !isForAllOperations(picture.view.trace->names()[name]))
    return CollectiveOperation::Unknown;
  const CollectiveInstance* const instance = picture.view.highlights->instanceOf(event);
  return instance ? instance->operation : CollectiveOperation::Unknown;
}

} // namespace

SpanLabels::SpanLabels(const StringTable& names, qreal scale)
    : m_labels(nameFont(kFont * scale), names),
      m_tallLabels(nameFont(kTallFont * scale, QFont::Medium), names), m_facts(textFont(kTallFont * scale)) {}

void SpanLabels::paint(QPainter& painter, const LanePicture& picture) {
  for (const LaneSpans& laneSpans :
       std::span(picture.buffers.laneSpans).first(picture.buffers.laneSpanCount)) {
    if (!laneSpans.lane.thin) paintLane(painter, picture, laneSpans);
  }
  paintNotes(painter, picture);
}

void SpanLabels::paintNotes(QPainter& painter, const LanePicture& picture) {
  painter.setFont(textFont(kFont * picture.view.scale, QFont::Medium));
  const QFontMetrics metrics = painter.fontMetrics();
  QColor ground = picture.theme().background;
  ground.setAlpha(200);
  for (const LanePicture::Note& note : picture.notes) {
    for (const QString& text : note.texts) {
      const int width = metrics.horizontalAdvance(text) + picture.px(8);
      if (width > note.box.width() - picture.px(6)) continue;
      const QRect plate(note.box.left() + picture.px(5), note.box.top() + picture.px(2), width,
                        note.box.height() - picture.px(4));
      painter.fillRect(plate, ground);
      painter.setPen(note.color);
      painter.drawText(plate, Qt::AlignCenter, text);
      break;
    }
  }
}

void SpanLabels::paintLane(QPainter& painter, const LanePicture& picture, const LaneSpans& laneSpans) {
  const RankTrace& trace = picture.trace(laneSpans.lane.rank);
  const Theme& theme = picture.theme();
  const auto [top, bottom] = picture.linesOf(laneSpans.lane);
  LabelCache& labels = laneSpans.lane.height >= scaledToText(kTallRow) ? m_tallLabels : m_labels;
  painter.setFont(labels.font());
  const QFontMetrics metrics(labels.font());
  const int y = top + (bottom - top - metrics.height() + 1) / 2;
  const int smallest = picture.px(LabelCache::kMinLabelWidth);
  const int padding = picture.px(kLabelPadding);
  auto hatched = laneSpans.hatched.begin();
  QRgb penFor = 0;
  for (std::size_t i = 0; i < laneSpans.spans.size(); ++i) {
    const RowSpan& span = laneSpans.spans[i];
    const int room = span.end - span.begin;
    if (room < smallest) continue;
    const EventKind kind = trace.events.kind[span.event];
    const NameId name = trace.events.name[span.event];
    const CollectiveOperation operation = operationToTell(picture, {laneSpans.lane.rank, span.event});
    const QStaticText* const label = operation == CollectiveOperation::Unknown
                                         ? labels.label(kind, name, room - 2 * padding)
                                         : labels.label(operation, room - 2 * padding);
    if (!label) continue;
    const QRgb color = laneSpans.colors[i];
    if (penFor != color) painter.setPen(textOn(theme, QColor::fromRgb(color)));
    penFor = color;
    const int x = span.begin + padding;
    while (hatched != laneSpans.hatched.end() && hatched->end <= x) ++hatched;
    if (hatched != laneSpans.hatched.end() && hatched->begin < x + padding) {
      // Text on stripes is unreadable.
      const int width = static_cast<int>(std::ceil(label->size().width())) + padding;
      painter.fillRect(x - padding / 2, top + padding / 2, width, bottom - top - padding,
                       QColor::fromRgb(hatched->ground));
      const QRect rest(x + width, top, span.end - x - width - padding, bottom - top);
      paintCollectiveFacts(painter, picture, {laneSpans.lane.rank, span.event}, hatched->ground, rest);
      painter.setFont(labels.font());
      painter.setPen(textOn(theme, QColor::fromRgb(hatched->ground)));
      penFor = 0;
    }
    painter.drawStaticText(x, y, *label);
  }
}

// After the label, if there is space.
void SpanLabels::paintCollectiveFacts(QPainter& painter, const LanePicture& picture, EventRef event,
                                      QRgb ground, const QRect& room) {
  const int padding = picture.px(kLabelPadding);
  for (QStringList facts = collectiveFacts(picture, event); !facts.isEmpty(); facts.removeLast()) {
    const TextCache::Text& note = m_facts.text(facts.join(QStringLiteral(" · ")));
    if (note.width + 2 * padding > room.width()) continue;
    const QRect plate(room.left(), room.top() + padding / 2, note.width + padding, room.height() - padding);
    const QColor color = QColor::fromRgb(ground);
    painter.fillRect(plate, color);
    painter.setPen(textOn(picture.theme(), color));
    m_facts.draw(painter, plate.adjusted(padding / 2, 0, 0, 0), note);
    return;
  }
}

} // namespace rankscope::ui
