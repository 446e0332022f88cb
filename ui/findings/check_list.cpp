// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/check_list.h"

#include "ui/widgets/wrapped_label.h"

#include <QVBoxLayout>

#include <algorithm>

namespace rankscope::ui {

namespace {

QString titleOf(FindingKind kind) {
  const std::string_view text = findingKindTitle(kind);
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

bool isUnchecked(const FindingChecks& checks, FindingKind kind) {
  return std::ranges::any_of(checks.unchecked, [kind](const UncheckedKinds& part) {
    return std::ranges::find(part.kinds, kind) != part.kinds.end();
  });
}

qsizetype missingOf(const FindingChecks& checks) {
  qsizetype missing = 0;
  for (const UncheckedKinds& part : checks.unchecked) missing += static_cast<qsizetype>(part.kinds.size());
  return missing;
}

} // namespace

CheckList::CheckList(QWidget* parent) : QWidget(parent), m_lines(new QVBoxLayout(this)) {
  m_lines->setContentsMargins(2, 4, 2, 8);
  m_lines->setSpacing(2);
}

void CheckList::addLine(const char* name, const QString& text) {
  auto* label = new WrappedLabel(text);
  label->setObjectName(QLatin1String(name));
  m_lines->addWidget(label);
}

void CheckList::setChecks(const FindingChecks& checks) {
  while (QLayoutItem* item = m_lines->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  addLine("checkTitle", tr("Checks: ✓ nothing found, ● found"));
  for (int k = 0; k < kFindingKindCount; ++k) {
    const auto kind = static_cast<FindingKind>(k);
    if (isUnchecked(checks, kind)) continue;
    const bool found = std::ranges::binary_search(checks.found, kind);
    addLine(found ? "checkFound" : "checkLine",
            (found ? QStringLiteral("●  ") : QStringLiteral("✓  ")) + titleOf(kind));
  }
  if (!checks.unchecked.empty()) {
    m_lines->addSpacing(8);
    addLine("checkTitle", tr("Checks not possible"));
  }
  for (const UncheckedKinds& part : checks.unchecked) {
    addLine("checkReason", QString::fromStdString(part.reason));
    for (const FindingKind kind : part.kinds) addLine("checkMissing", QStringLiteral("–  ") + titleOf(kind));
    m_lines->addSpacing(4);
  }
  m_lines->addStretch();
}

QString CheckList::madeOf(const FindingChecks& checks) {
  return tr("%1 of %2 checks").arg(kFindingKindCount - missingOf(checks)).arg(kFindingKindCount);
}

QString CheckList::summaryOf(const FindingChecks& checks) {
  const qsizetype missing = missingOf(checks);
  return missing == 0 ? madeOf(checks) : tr("%1, %2 lack data").arg(madeOf(checks)).arg(missing);
}

} // namespace rankscope::ui
