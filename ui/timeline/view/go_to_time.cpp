// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/view/go_to_time.h"

#include "core/base/unit_text.h"
#include "ui/actions/quick_pick.h"
#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"

namespace rankscope::ui {
namespace {

std::vector<PickItem> offers(TraceSession& session, const QString& text) {
  const TimeRange extent = session.trace()->extent();
  const QString length = QString::fromStdString(durationText(extent.length()));
  if (text.isEmpty())
    return {{tr("A time after the job's first event: 1.234s, 12ms, 350us"), tr("of %1").arg(length), {}, {}}};
  const auto time = durationFromText(text.toStdString());
  if (!time) return {{tr("Not a time: write 1.234s, 12ms or 350us"), {}, {}, {}}};
  const auto window = windowAtText(session, text);
  const QString shown = QString::fromStdString(timeText(*time, 1));
  if (!window) return {{tr("%1 is after the job's end").arg(shown), tr("at %1").arg(length), {}, {}}};
  return {{tr("Go to %1").arg(shown), tr("of %1").arg(length), {}, [&session, window] {
             session.setWindow(*window);
           }}};
}

} // namespace

std::optional<TimeRange> windowAtText(const TraceSession& session, const QString& text) {
  const auto time = durationFromText(text.toStdString());
  if (!session.trace() || !time || *time > session.trace()->extent().length()) return std::nullopt;
  const TimeNs length = session.window().length();
  const TimeNs begin = session.drawnAt(session.trace()->extent().begin + *time) - length / 2;
  return TimeRange{begin, begin + length};
}

void askForTime(QWidget& widget, TraceSession& session) {
  QuickPick::of(widget).ask(tr("Go to time"),
                            [&session](const QString& text) { return offers(session, text); });
}

} // namespace rankscope::ui
