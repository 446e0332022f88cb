// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/path_palette.h"

#include <QCoreApplication>

#include <array>

namespace rankscope::ui {

namespace {

struct CategoryLook {
  const char* title;
  QColor Theme::*color;
};

constexpr std::array<CategoryLook, kPathCategoryCount> kLooks{{
    {QT_TRANSLATE_NOOP("CriticalPath", "Compute"), &Theme::kernel},
    {QT_TRANSLATE_NOOP("CriticalPath", "Copy"), &Theme::memoryCopy},
    {QT_TRANSLATE_NOOP("CriticalPath", "Transfer"), &Theme::communication},
    {QT_TRANSLATE_NOOP("CriticalPath", "Unmatched communication"), &Theme::exposed},
    {QT_TRANSLATE_NOOP("CriticalPath", "Launch"), &Theme::warn},
    {QT_TRANSLATE_NOOP("CriticalPath", "Kernel gap"), &Theme::annotation},
    {QT_TRANSLATE_NOOP("CriticalPath", "Operators"), &Theme::cpuOp},
    {QT_TRANSLATE_NOOP("CriticalPath", "Runtime calls"), &Theme::runtime},
    {QT_TRANSLATE_NOOP("CriticalPath", "Python"), &Theme::python},
    {QT_TRANSLATE_NOOP("CriticalPath", "DataLoader"), &Theme::dataLoader},
    {QT_TRANSLATE_NOOP("CriticalPath", "Allocation"), &Theme::optimizer},
    {QT_TRANSLATE_NOOP("CriticalPath", "Synchronization"), &Theme::bad},
    {QT_TRANSLATE_NOOP("CriticalPath", "Host, nothing recorded"), &Theme::faint},
    {QT_TRANSLATE_NOOP("CriticalPath", "Hand-off"), &Theme::backward},
    {QT_TRANSLATE_NOOP("CriticalPath", "Unexplained"), &Theme::muted},
    {QT_TRANSLATE_NOOP("CriticalPath", "Clock"), &Theme::accent},
}};

constexpr std::array<const char*, kGraphEdgeCount> kDependencies{
    QT_TRANSLATE_NOOP("CriticalPath", "its duration"),
    QT_TRANSLATE_NOOP("CriticalPath", "thread order"),
    QT_TRANSLATE_NOOP("CriticalPath", "thread order"),
    QT_TRANSLATE_NOOP("CriticalPath", "another thread"),
    QT_TRANSLATE_NOOP("CriticalPath", "collective done"),
    QT_TRANSLATE_NOOP("CriticalPath", "launch"),
    QT_TRANSLATE_NOOP("CriticalPath", "stream order"),
    QT_TRANSLATE_NOOP("CriticalPath", "stream order"),
    QT_TRANSLATE_NOOP("CriticalPath", "event"),
    QT_TRANSLATE_NOOP("CriticalPath", "event, inferred"),
    QT_TRANSLATE_NOOP("CriticalPath", "free multiprocessors"),
    QT_TRANSLATE_NOOP("CriticalPath", "device done"),
    QT_TRANSLATE_NOOP("CriticalPath", "device done"),
    QT_TRANSLATE_NOOP("CriticalPath", "full launch queue"),
    QT_TRANSLATE_NOOP("CriticalPath", "last rank's begin"),
    QT_TRANSLATE_NOOP("CriticalPath", "clocks"),
    QT_TRANSLATE_NOOP("CriticalPath", "end of the step"),
};

const CategoryLook& lookOf(PathCategory category) {
  return kLooks[static_cast<std::size_t>(category)];
}

} // namespace

QString pathCategoryTitle(PathCategory category) {
  return QCoreApplication::translate("CriticalPath", lookOf(category).title);
}

QColor pathCategoryColor(PathCategory category, const Theme& theme) {
  return theme.*lookOf(category).color;
}

QString dependencyTitle(std::optional<GraphEdge> edge) {
  if (!edge) return {};
  return QCoreApplication::translate("CriticalPath", kDependencies[static_cast<std::size_t>(*edge)]);
}

} // namespace rankscope::ui
