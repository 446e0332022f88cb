// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/search_field.h"

#include "core/base/unit_text.h"
#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/job/event_finder.h"
#include "ui/job/trace_session.h"

#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QStyle>

namespace rankscope::ui {
namespace {

constexpr int kWidth = 420;
constexpr int kMin = 150;
constexpr int kHeight = 26;

} // namespace

SearchField::SearchField(TraceSession& session, EventFinder& finder, QWidget* parent)
    : QLineEdit(parent), m_session(session), m_finder(finder), m_count(new QLabel(this)) {
  setObjectName(QStringLiteral("searchField"));
  setAccessibleName(tr("Search the slices of every rank"));
  setAcceptDrops(false);
  setFixedHeight(scaledToText(kHeight));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  m_count->setObjectName(QStringLiteral("searchCount"));
  m_count->setAttribute(Qt::WA_TransparentForMouseEvents);
  connect(this, &QLineEdit::textEdited, &finder, &EventFinder::setText);
  connect(&finder, &EventFinder::textChanged, this, [this] {
    if (text() == m_finder.text()) return;
    const QSignalBlocker quiet(this);
    setText(m_finder.text());
  });
  connect(&finder, &EventFinder::changed, this, &SearchField::showFinder);
  connect(&session, &TraceSession::selectionChanged, this, &SearchField::showFinder);
  connect(&session, &TraceSession::themeChanged, this, &SearchField::showFinder);
  showFinder();
}

QSize SearchField::sizeHint() const {
  return {scaledToText(kWidth), scaledToText(kHeight)};
}

QSize SearchField::minimumSizeHint() const {
  return {scaledToText(kMin), scaledToText(kHeight)};
}

QString SearchField::countText() const {
  return m_count->text();
}

void SearchField::showFinder() {
  const auto& problem = m_finder.problem();
  QString count;
  if (m_finder.active()) {
    const QString all =
        QString::fromStdString(rankscope::countText(static_cast<qint64>(m_finder.sums().count)));
    const auto place = m_finder.place();
    count = place ? tr("%1 / %2").arg(
                        QString::fromStdString(rankscope::countText(static_cast<qint64>(*place) + 1)), all)
                  : all;
    if (m_finder.running()) count += QStringLiteral(" …");
  }
  const Theme& theme = m_session.theme();
  if (problem) count = tr("at %1").arg(problem->at + 1);
  const bool bad = problem || (m_finder.active() && !m_finder.running() && m_finder.sums().count == 0);
  m_count->setStyleSheet(
      QStringLiteral("color: %1; background: transparent;").arg((bad ? theme.bad : theme.muted).name()));
  m_count->setText(count);
  m_count->adjustSize();
  setTextMargins(0, 0, count.isEmpty() ? 0 : m_count->width() + 8, 0);
  m_count->move(width() - m_count->width() - 8, (height() - m_count->height()) / 2);
  setToolTip(
      problem ? tr("At character %1: %2").arg(problem->at + 1).arg(problem->what)
              : tr("Words in names, dur>5ms, rank:0-3, kind:nccl, stream:7, ~regular.*expression, -exclude"));
}

void SearchField::resizeEvent(QResizeEvent* event) {
  QLineEdit::resizeEvent(event);
  constexpr int kAround = 32; // frame, padding and margin of the text
  const QString example = tr("Search: AllReduce dur>1ms rank:0-3  (/)");
  const bool fits = fontMetrics().horizontalAdvance(example) + kAround <= width();
  setPlaceholderText(fits ? example : tr("Search  (/)"));
  m_count->move(width() - m_count->width() - 8, (height() - m_count->height()) / 2);
}

void SearchField::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (event->modifiers() & Qt::ShiftModifier)
      m_finder.previous();
    else
      m_finder.next();
    return;
  case Qt::Key_Escape:
    m_finder.setText({});
    emit left();
    return;
  case Qt::Key_Down:
    emit left();
    return;
  default:
    QLineEdit::keyPressEvent(event);
  }
}

} // namespace rankscope::ui
