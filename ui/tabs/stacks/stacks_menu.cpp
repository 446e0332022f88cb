// SPDX-License-Identifier: GPL-3.0-or-later
// The context menu of the flame graph, its filters and exports.
#include "ui/flames/flame_view.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/stacks/filter_chips.h"
#include "ui/tabs/stacks/stacks_panel.h"
#include "ui/widgets/call_stack.h"
#include "ui/widgets/choice_row.h"
#include "ui/widgets/elided_label.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

#include <utility>

namespace rankscope::ui {

std::unique_ptr<QMenu> StacksPanel::menuOf(std::uint32_t node) {
  auto menu = std::make_unique<QMenu>(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const QString& title, const QKeySequence& keys, auto&& act) {
    menu->addAction(title, this, std::forward<decltype(act)>(act))->setShortcut(keys);
  };
  const bool any = m_data && !m_data->layout->rows.empty();
  if (any && node != StackTree::kRoot) {
    const std::string frame = m_data->layout->tree.frameAt(node).text;
    add(tr("Zoom to frame"), Qt::Key_F, [this, node] { m_flames->zoomTo(node); });
    add(tr("Zoom out to everything"), Qt::Key_Home, [this] { m_flames->fit(); });
    menu->addSeparator();
    addFilterActions(*menu, frame);
    menu->addSeparator();
    addCallActions(*menu);
    if (sourcePlaceOf(frame)) add(tr("Open source line"), Qt::Key_Return, [this, node] { activate(node); });
    menu->addSeparator();
    add(tr("Copy frame"), {}, [frame] { QApplication::clipboard()->setText(QString::fromStdString(frame)); });
    add(tr("Copy stack"), QKeySequence::Copy, [this] { m_flames->copyPath(); });
    menu->addSeparator();
  } else if (any) {
    add(tr("Zoom out to everything"), Qt::Key_Home, [this] { m_flames->fit(); });
  }
  if (!m_chips->filters().empty()) add(tr("Remove all filters"), {}, [this] { m_chips->clear(); });
  QAction* const files = menu->addAction(tr("Export stacks …"), this, &StacksPanel::askExport);
  files->setEnabled(any && m_data->files.any());
  return menu;
}

// With the names that Perfetto gives them.
void StacksPanel::addFilterActions(QMenu& menu, const std::string& frame) {
  const auto add = [&](const QString& title, StackFilterKind kind) {
    menu.addAction(title, this, [this, frame, kind] { m_chips->add({kind, frame, true}); });
  };
  add(tr("Focus: show from this frame"), StackFilterKind::ShowFrom);
  add(tr("Show only stacks with this frame"), StackFilterKind::ShowStack);
  add(tr("Hide stacks with this frame"), StackFilterKind::HideStack);
  add(tr("Hide this frame"), StackFilterKind::HideFrame);
  if (m_choice.mode != FlameMode::Difference)
    menu.addAction(tr("Show its callers and callees"), this, [this, frame] { showAround(frame); });
}

void StacksPanel::addCallActions(QMenu& menu) {
  const auto calls = m_calls->calls();
  const bool some = m_calls->searching() || (calls && !calls->calls.empty());
  const auto add = [&](const QString& title, auto&& act) {
    menu.addAction(title, m_calls, std::forward<decltype(act)>(act))->setEnabled(some);
  };
  add(tr("Show first call in the timeline"), &Occurrences::showFirst);
  add(tr("Show longest call in the timeline"), &Occurrences::showLongest);
  add(tr("Select next call"), [this] { m_calls->step(1); });
}

void StacksPanel::showAround(const std::string& frame) {
  m_choice.focus = frame;
  constexpr int kSandwich = static_cast<int>(FlameMode::Sandwich);
  m_choice.mode = FlameMode::Sandwich;
  if (m_modes->chosen() == kSandwich) return ask();
  m_modes->choose(kSandwich);
}

void StacksPanel::addFilterOfSearch() {
  const auto filter = stackFilterOf(m_search->text().toStdString());
  if (!filter) return;
  m_search->clear();
  m_chips->add(*filter);
}

void StacksPanel::askExport() {
  if (!m_data || !m_data->files.any()) return;
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export stacks"), QStringLiteral("stacks.folded"),
                                   stackFileTypes(m_data->files).join(QStringLiteral(";;")));
  if (!path.isEmpty()) exportTo(path);
}

void StacksPanel::exportTo(const QString& path) {
  if (!m_data || !m_data->files.any()) return;
  m_exportTask.ask([data = m_data, path] { return writeStacks(data->files, path); },
                   [this](const QString& said) { m_figures->setText(said); });
}

} // namespace rankscope::ui
