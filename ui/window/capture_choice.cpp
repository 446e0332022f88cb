// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/capture_choice.h"

#include "core/base/unit_text.h"
#include "ui/actions/actions.h"
#include "ui/job/trace_session.h"

#include <QMenu>
#include <QStyle>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace rankscope::ui {

CaptureChoice::CaptureChoice(TraceSession& session, ActionRegistry& actions, QWidget* parent)
    : QToolButton(parent), m_session(session) {
  setObjectName(QStringLiteral("captureChoice"));
  setFocusPolicy(Qt::TabFocus);
  setPopupMode(QToolButton::InstantPopup);
  setMenu(new QMenu(this));
  setToolTip(tr("Show one recording of every rank, or all, in the timeline and in all tabs"));
  connect(menu(), &QMenu::aboutToShow, this, &CaptureChoice::fillMenu);
  connect(menu(), &QMenu::aboutToShow, this, [this, &actions] {
    const QString compare = QStringLiteral("compare.captures");
    if (actions.find(compare) == nullptr) return;
    menu()->addSeparator();
    menu()->addAction(actions.menuAction(compare));
  });
  connect(&session, &TraceSession::choiceChanged, this, &CaptureChoice::showChoice);
  connect(&session, &TraceSession::traceChanged, this, &CaptureChoice::showChoice);
  const auto several = [this] { return m_session.trace() && m_session.trace()->severalCaptures(); };
  const auto add = [&](const char* id, const QString& title, std::function<void()> run) {
    actions.add({.id = QString::fromLatin1(id),
                 .group = tr("Captures"),
                 .title = title,
                 .scope = KeyScope::Window,
                 .run = std::move(run),
                 .enabled = several});
  };
  add("captures.next", tr("Next capture"), [this] { step(1); });
  add("captures.previous", tr("Previous capture"), [this] { step(-1); });
  add("captures.all", tr("All captures"), [this] { choose(0); });
  showChoice();
}

void CaptureChoice::choose(int capture) {
  if (!m_session.trace() || capture == m_session.choice().capture) return;
  m_session.setRange({}); // of another recording
  m_session.editChoice([&](TimelineChoice& choice) { choice.capture = capture; });
}

// Cyclic, from all captures to the first or last one.
void CaptureChoice::step(int by) {
  const std::vector<int> captures = capturesOf(*m_session.trace());
  const auto count = static_cast<std::ptrdiff_t>(captures.size());
  const auto at = std::ranges::find(captures, m_session.choice().capture) - captures.begin();
  const std::ptrdiff_t next = at == count ? (by > 0 ? 0 : count - 1) : (at + by + count) % count;
  choose(captures[static_cast<std::size_t>(next)]);
}

void CaptureChoice::showChoice() {
  const auto& trace = m_session.trace();
  const bool several = trace && trace->severalCaptures();
  setVisible(several);
  if (!several) return;
  const std::size_t count = capturesOf(*trace).size();
  const int capture = m_session.choice().capture;
  setText((capture == 0 ? tr("All %1 captures").arg(count) : tr("Capture %1 of %2").arg(capture).arg(count)) +
          QStringLiteral(" ▾"));
  setProperty("limited", capture != 0);
  // A style sheet evaluates properties when it is applied.
  style()->unpolish(this);
  style()->polish(this);
}

void CaptureChoice::fillMenu() {
  menu()->clear();
  const auto& trace = m_session.trace();
  if (!trace) return;
  const auto add = [this](const QString& title, int capture) {
    QAction* const action = menu()->addAction(title, this, [this, capture] { choose(capture); });
    action->setCheckable(true);
    action->setChecked(m_session.choice().capture == capture);
  };
  const std::vector<int> captures = capturesOf(*trace);
  add(tr("All %1 captures").arg(captures.size()), 0);
  for (const int capture : captures) {
    int ranks = 0;
    std::optional<TimeRange> extent;
    for (const RankEntry& entry : trace->ranks()) {
      if (entry.capture != capture) continue;
      ++ranks;
      if (!entry.trace->extent.empty())
        extent = extent ? extent->unitedWith(entry.trace->extent) : entry.trace->extent;
    }
    QString title =
        tr("Capture %1: %2").arg(capture).arg(ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(ranks));
    if (extent)
      title += tr(", %1 from %2")
                   .arg(QString::fromStdString(durationText(extent->length())),
                        QString::fromStdString(durationText(extent->begin - trace->extent().begin)));
    add(title, capture);
  }
}

} // namespace rankscope::ui
