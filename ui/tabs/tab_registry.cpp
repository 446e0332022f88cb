// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/tab_registry.h"

#include <QCoreApplication>

#include <array>

// One line per tab, in the order of the bar: id (the name of its folder), title and scope. The folder
// defines the factory function rankscope::ui::tabs::ID. The build parses this list too
// (resources/CMakeLists.txt), so all lines have the same form.
#define RANKSCOPE_TABS(TAB)                                                                                  \
  TAB(timeline, "Timeline", WholeJob)                                                                        \
  TAB(overview, "Overview", Selection)                                                                       \
  TAB(gains, "Gains", Selection)                                                                             \
  TAB(distributed, "Distributed", Selection)                                                                 \
  TAB(parallelism, "Parallelism", Selection)                                                                 \
  TAB(network, "Network", Selection)                                                                         \
  TAB(operators, "Operators", Selection)                                                                     \
  TAB(stacks, "Stacks", Selection)                                                                           \
  TAB(kernels, "Kernels", Selection)                                                                         \
  TAB(efficiency, "Efficiency", Selection)                                                                   \
  TAB(memory, "Memory", Selection)                                                                           \
  TAB(compare, "Compare", WholeJob)                                                                          \
  TAB(query, "Query", WholeJob)                                                                              \
  TAB(files, "Files", WholeJob)                                                                              \
  TAB(hang, "Hang", WholeJob)

namespace rankscope::ui {

namespace tabs {
#define RANKSCOPE_DECLARE_TAB(id, title, scope) TabPage* id(const TabContext& context);
RANKSCOPE_TABS(RANKSCOPE_DECLARE_TAB)
} // namespace tabs

namespace {

#define RANKSCOPE_LIST_TAB(id, title, scope) TabSpec{#id, title, TabScope::scope, tabs::id},
constexpr std::array kTabs{RANKSCOPE_TABS(RANKSCOPE_LIST_TAB)};

} // namespace

QString TabSpec::title() const {
  return QCoreApplication::translate("Tab", englishTitle);
}

std::span<const TabSpec> tabSpecs() {
  return kTabs;
}

QStringList tabIds() {
  QStringList ids;
  for (const TabSpec& spec : kTabs) ids << spec.name();
  return ids;
}

int tabNamed(const QString& id) {
  return static_cast<int>(tabIds().indexOf(id));
}

} // namespace rankscope::ui
