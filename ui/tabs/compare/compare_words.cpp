// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/compare/compare_words.h"

#include "core/analysis/account/leaves.h"
#include "core/analysis/findings/finding_kinds.h"
#include "core/report/leaf_texts.h"
#include "ui/base/capitalized.h"
#include "ui/base/ui_text.h"

#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace rankscope::ui {

QString matchWords(const QString& id) {
  static const std::map<QString, QString> kWords{
      {QStringLiteral("only_a"), tr("only in A")},
      {QStringLiteral("only_b"), tr("only in B")},
      {QStringLiteral("name_shapes"), tr("name and shapes")},
      {QStringLiteral("shape_changed"), tr("name, other shapes")},
      {QStringLiteral("name_only"), tr("name elsewhere")},
      {QStringLiteral("exact"), tr("full name")},
      {QStringLiteral("no_template"), tr("name without template")},
      {QStringLiteral("family"), tr("kind of kernel")},
      {QStringLiteral("group_ranks"), tr("ranks of the group")},
  };
  const auto known = kWords.find(id);
  return known != kWords.end() ? known->second : id;
}

QString categoryTitle(const QString& id) {
  for (std::size_t i = 0; i < kTimeClassCount; ++i) {
    const auto known = static_cast<TimeClass>(i);
    if (textOf(timeClassText(known)) == id) return capitalized(textOf(timeClassTitle(known)));
  }
  return id;
}

QString causeTitle(const QString& id) {
  QString title = textOf(leafOrParentTitle(id.toStdString()));
  // "memory.near_limit": findings about memory are about no part of the step.
  if (title != id || !id.contains(QLatin1Char('.'))) return title;
  return capitalized(id)
      .replace(QLatin1Char('.'), QLatin1String(": "))
      .replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString figureTitle(const QString& name) {
  static const std::array<std::pair<QString, QString>, 4> kUnits{
      {{QStringLiteral("_us"), QStringLiteral(", µs")},
       {QStringLiteral("_pct"), QStringLiteral(", %")},
       {QStringLiteral("_gb_s"), QStringLiteral(", GB/s")},
       {QStringLiteral("_bytes"), QStringLiteral(", bytes")}}};
  QString text = name;
  QString unit;
  for (const auto& [end, words] : kUnits) {
    if (!text.endsWith(end)) continue;
    text.chop(end.size());
    unit = words;
  }
  if (text == QLatin1String("busbw")) text = tr("bus bandwidth");
  return capitalized(text.replace(QLatin1Char('_'), QLatin1Char(' '))) + unit;
}

QString layoutTableTitle(const QString& id) {
  static const std::map<QString, QString> kTitles{
      {QStringLiteral("parallel_groups"), tr("Dimensions of process groups")},
      {QStringLiteral("parallel_summary"), tr("Communication by dimension")},
      {QStringLiteral("ddp_buckets"), tr("DDP buckets")},
      {QStringLiteral("fsdp_units"), tr("Units of FSDP")},
      {QStringLiteral("zero_stages"), tr("Memory and communication by ZeRO stage")},
      {QStringLiteral("tp_layers"), tr("Tensor-parallel layers")},
      {QStringLiteral("pipeline_stages"), tr("Pipeline stages")},
      {QStringLiteral("expert_ranks"), tr("Expert ranks")},
  };
  const auto known = kTitles.find(id);
  return known != kTitles.end() ? known->second : id;
}

QString findingKindWords(const QString& id) {
  for (int i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (textOf(findingKindText(kind)) == id) return textOf(findingKindTitle(kind));
  }
  return id;
}

} // namespace rankscope::ui
