// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/pending_work.h"

namespace rankscope::ui {

PendingWork::Token PendingWork::begin() {
  if (m_count++ == 0 && m_parent) m_parentToken = m_parent->begin();
  return Token(this);
}

void PendingWork::end() {
  if (--m_count > 0) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (idle()) emit settled();
      },
      Qt::QueuedConnection);
  m_parentToken.release();
}

} // namespace rankscope::ui
