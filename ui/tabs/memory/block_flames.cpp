// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/block_flames.h"

#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/text_scale.h"
#include "ui/widgets/elided_label.h"

#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <utility>

namespace rankscope::ui {

namespace {

constexpr int kHeight = 300;

} // namespace

BlockFlames::BlockFlames(TraceSession& session, QWidget* parent)
    : QFrame(parent), m_caption(new QLabel), m_view(new FlameView(session)), m_detail(new ElidedLabel) {
  setObjectName(QStringLiteral("card"));
  setMinimumHeight(scaledToText(kHeight));
  auto* title = new QLabel(tr("Stacks of live blocks"));
  title->setObjectName(QStringLiteral("cardTitle"));
  m_caption->setObjectName(QStringLiteral("figureNote"));
  m_detail->setObjectName(QStringLiteral("figureNote"));
  m_view->setInScrollingPage(true);
  m_view->setAccessibleName(title->text());
  auto* heading = new QHBoxLayout;
  heading->setSpacing(12);
  heading->addWidget(title);
  heading->addWidget(m_caption, 1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(8);
  column->addLayout(heading);
  column->addWidget(m_view, 1);
  column->addWidget(m_detail);
  connect(m_view, &FlameView::selectionChanged, this, &BlockFlames::showSelection);
  connect(m_view, &FlameView::activated, m_view, &FlameView::zoomTo);
}

void BlockFlames::setContents(std::shared_ptr<const FlameLayout> layout, bool since) {
  const bool any = layout && layout->whole > 0;
  QString caption = since ? tr("allocated after the mark") : QString();
  if (any) {
    const QString sum = QString::fromStdString(bytesText(layout->whole));
    caption = caption.isEmpty() ? sum : sum + QStringLiteral(" · ") + caption;
    caption += tr(" · double click or F: zoom · Home: all");
  }
  m_caption->setText(caption);
  m_view->setEmptyText(since ? tr("Nothing that is alive at the cursor was allocated after the mark.")
                             : tr("No block is allocated at the cursor."));
  m_view->setLayoutToShow(std::move(layout), StackWeight::Bytes);
  showSelection();
}

void BlockFlames::showSelection() {
  const auto node = m_view->selected();
  const auto& layout = m_view->layoutShown();
  if (!node || !layout) {
    m_detail->setText(tr("Select a frame to see its path."));
    return;
  }
  const StackSum& total = layout->totals[*node];
  const double share = 100.0 * static_cast<double>(total.weight) / static_cast<double>(layout->whole);
  m_detail->setText(tr("%1 · %2 of it · %3 · %4")
                        .arg(QString::fromStdString(bytesText(total.weight)),
                             QString::fromStdString(percentText(share)),
                             counted(total.count, tr("1 block"), tr("%1 blocks")),
                             QString::fromStdString(layout->tree.frameAt(*node).text)));
}

QString BlockFlames::detail() const {
  return m_detail->text();
}

} // namespace rankscope::ui
