// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/highlight_settings.h"

#include <QSettings>

#include <array>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr std::array<std::pair<bool HighlightOptions::*, const char*>, 5> kKeys{
    {{&HighlightOptions::idle, "highlights/idle"},
     {&HighlightOptions::exposed, "highlights/exposed"},
     {&HighlightOptions::waits, "highlights/waits"},
     {&HighlightOptions::stragglers, "highlights/stragglers"},
     {&HighlightOptions::links, "highlights/links"}}};

} // namespace

HighlightOptions savedHighlights(const QSettings& settings) {
  HighlightOptions options;
  for (const auto& [option, key] : kKeys) options.*option = settings.value(QLatin1String(key), true).toBool();
  return options;
}

void saveHighlights(QSettings& settings, const HighlightOptions& options) {
  for (const auto& [option, key] : kKeys) settings.setValue(QLatin1String(key), options.*option);
}

} // namespace rankscope::ui
