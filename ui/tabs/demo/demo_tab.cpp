// SPDX-License-Identifier: GPL-3.0-or-later
// A tab that shows nothing, and says why: what the least of a tab is.
#include "ui/widgets/tab_context.h"
#include "ui/widgets/tab_page.h"

#include <QLabel>
#include <QVBoxLayout>

namespace rankscope::ui::tabs {

TabPage* demo(const TabContext&) {
  auto* page = new TabPage;
  auto* text =
      new QLabel(TabPage::tr("Nothing is computed for this tab yet: it shows that a tab is a folder, a "
                             "line of the registry and a part of the guide."));
  text->setObjectName(QStringLiteral("emptyText"));
  text->setAlignment(Qt::AlignCenter);
  text->setWordWrap(true);
  auto* column = new QVBoxLayout(page);
  column->addWidget(text);
  return page;
}

} // namespace rankscope::ui::tabs
