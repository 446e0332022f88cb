// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/caption_place.h"

#include "ui/widgets/wrapped_label.h"

#include <QBoxLayout>
#include <QEvent>

namespace rankscope::ui {

namespace {

int afterStretch(const QBoxLayout& line) {
  for (int i = 0; i < line.count(); ++i)
    if (line.itemAt(i)->spacerItem() != nullptr) return i + 1;
  return line.count();
}

} // namespace

CaptionPlace::CaptionPlace(QWidget& card, QBoxLayout& line, WrappedLabel& caption)
    : QObject(&card), m_card(card), m_line(line), m_caption(caption) {
  caption.preferOneLine();
  line.setAlignment(&caption, Qt::AlignVCenter);
  card.installEventFilter(this);
}

bool CaptionPlace::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &m_card && (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
    place();
  return false;
}

void CaptionPlace::place() {
  if (m_caption.isHidden()) return;
  auto* const column = static_cast<QBoxLayout*>(m_card.layout());
  const QMargins margins = column->contentsMargins();
  const bool before = m_line.indexOf(&m_caption) < 0;
  int needed = m_line.sizeHint().width();
  if (before) needed += m_caption.sizeHint().width() + m_line.spacing();
  const bool below =
      !m_caption.text().isEmpty() && needed > m_card.width() - margins.left() - margins.right();
  if (below == before) return;
  if (below) {
    m_line.removeWidget(&m_caption);
    column->insertWidget(1, &m_caption);
  } else {
    column->removeWidget(&m_caption);
    m_line.insertWidget(afterStretch(m_line), &m_caption, 0, Qt::AlignVCenter);
  }
}

} // namespace rankscope::ui
