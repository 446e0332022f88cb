// SPDX-License-Identifier: GPL-3.0-or-later
// Base of text pages: no frame, wrapped anywhere, links are handled by the page.
#pragma once

#include "ui/base/theme.h"

#include <QTextBrowser>
#include <QTextDocument>

namespace rankscope::ui {

inline void setUpTextPage(QTextBrowser& page, int margin) {
  page.setObjectName(QStringLiteral("details"));
  page.setFrameShape(QFrame::NoFrame);
  page.setOpenLinks(false);
  page.setAcceptDrops(false);
  page.setUndoRedoEnabled(false);
  page.setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  page.setTextInteractionFlags(Qt::TextBrowserInteraction);
  page.document()->setDocumentMargin(margin);
  QFont names = page.font();
  names.setStyleStrategy(nameFont(12).styleStrategy());
  page.setFont(names);
}

} // namespace rankscope::ui
