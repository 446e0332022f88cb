// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/view.h"

#include <QCoreApplication>

#include <array>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::array<std::pair<View, const char*>, 7> kViews{{{View::Timeline, "timeline"},
                                                              {View::Overview, "overview"},
                                                              {View::Distributed, "distributed"},
                                                              {View::Operators, "operators"},
                                                              {View::Kernels, "kernels"},
                                                              {View::Memory, "memory"},
                                                              {View::Files, "files"}}};

QString tr(const char* text) {
  return QCoreApplication::translate("View", text);
}

} // namespace

std::optional<View> viewNamed(const QString& name) {
  for (const auto& [view, known] : kViews)
    if (name == QLatin1String(known)) return view;
  return std::nullopt;
}

QString viewTitle(View view) {
  switch (view) {
  case View::Timeline:
    return tr("Timeline");
  case View::Overview:
    return tr("Overview");
  case View::Distributed:
    return tr("Distributed");
  case View::Operators:
    return tr("Operators");
  case View::Kernels:
    return tr("Kernels");
  case View::Memory:
    return tr("Memory");
  case View::Files:
    return tr("Files");
  }
  return {};
}

QStringList viewNames() {
  QStringList names;
  for (const auto& [view, name] : kViews) names << QString::fromLatin1(name);
  return names;
}

} // namespace rankscope::ui
