// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/details/find_tools.h"

#include "ui/actions/actions.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/search_field.h"
#include "ui/details/search_panel.h"
#include "ui/timeline/view/timeline_view.h"

namespace rankscope::ui {

FindTools::FindTools(TraceSession& session, TimelineView& timeline, BottomPanel& bottom,
                     ActionRegistry& actions, QObject* parent)
    : QObject(parent), m_finder(session), m_field(new SearchField(session, m_finder)),
      m_panel(new SearchPanel(session, m_finder)) {
  const int position = bottom.addPanel(tr("Search"), m_panel);
  timeline.setFinder(&m_finder);
  connect(m_field, &QLineEdit::textEdited, this, [this, &bottom, position] {
    emit timelineWanted();
    if (!bottom.collapsed()) bottom.showPanel(position);
  });
  connect(m_field, &SearchField::left, this, [this, &timeline] {
    emit timelineWanted();
    timeline.setFocus();
  });
  addActions(actions);
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
                 m_field->setFocus(Qt::ShortcutFocusReason);
                 m_field->selectAll();
               }});
  actions.add({.id = QStringLiteral("search.next"),
               .group = group,
               .title = tr("Next hit"),
               .keys = {Qt::Key_Return, Qt::Key_Enter},
               .run = [this] { m_finder.next(); },
               .enabled = hits});
  actions.add({.id = QStringLiteral("search.previous"),
               .group = group,
               .title = tr("Previous hit"),
               .keys = {Qt::SHIFT | Qt::Key_Return, Qt::SHIFT | Qt::Key_Enter},
               .run = [this] { m_finder.previous(); },
               .enabled = hits});
  actions.add({.id = QStringLiteral("search.clear"),
               .group = group,
               .title = tr("End the search"),
               .run = [this] { m_finder.setText({}); },
               .enabled = [this] { return !m_finder.text().isEmpty(); }});
}

} // namespace rankscope::ui
