// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/find_tools.h"

#include "ui/actions/actions.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/search_field.h"
#include "ui/details/search_panel.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/view/timeline_view.h"

namespace rankscope::ui {

FindTools::FindTools(TraceSession& session, EventFinder& finder, SearchField& field, TimelineView& timeline,
                     BottomPanel& bottom, ActionRegistry& actions, QObject* parent)
    : QObject(parent), m_finder(finder), m_field(field), m_bottom(bottom),
      m_panel(new SearchPanel(session, finder)), m_position(bottom.addPanel(tr("Search"), m_panel)) {
  timeline.setFinder(&m_finder);
  connect(&field, &QLineEdit::textEdited, this, [this] {
    if (!m_bottom.collapsed()) showPanel();
  });
  connect(&field, &SearchField::left, &timeline, qOverload<>(&QWidget::setFocus));
  addActions(actions);
}

void FindTools::showPanel() {
  m_bottom.showPanel(m_position);
}

void FindTools::addActions(ActionRegistry& actions) {
  const QString group = tr("Search");
  const auto hits = [this] { return m_finder.sums().count > 0; };
  actions.add({.id = QStringLiteral("search.focus"),
               .group = group,
               .title = tr("Search slices by name, regular expression or field"),
               .keys = {Qt::Key_Slash, Qt::CTRL | Qt::Key_F},
               .scope = KeyScope::Window,
               .run = [this] {
                 m_field.setFocus(Qt::ShortcutFocusReason);
                 m_field.selectAll();
               }});
  actions.add({.id = QStringLiteral("search.next"),
               .group = group,
               .title = tr("Next match"),
               .keys = {Qt::Key_Return, Qt::Key_Enter},
               .run = [this] { m_finder.next(); },
               .enabled = hits});
  actions.add({.id = QStringLiteral("search.previous"),
               .group = group,
               .title = tr("Previous match"),
               .keys = {Qt::SHIFT | Qt::Key_Return, Qt::SHIFT | Qt::Key_Enter},
               .run = [this] { m_finder.previous(); },
               .enabled = hits});
  actions.add({.id = QStringLiteral("search.clear"),
               .group = group,
               .title = tr("Clear the search"),
               .run = [this] { m_finder.setText({}); },
               .enabled = [this] { return !m_finder.text().isEmpty(); }});
}

} // namespace rankscope::ui
