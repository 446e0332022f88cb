// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/model_parts.h"

#include "core/analysis/job/recording_advice.h"
#include "core/model/rank_digest.h"
#include "ui/base/text_scale.h"

#include <utility>

namespace rankscope::ui {

namespace {

QString titleOf(CallGrouping grouping) {
  switch (grouping) {
  case CallGrouping::Module:
    return ModelPartChoice::tr("By module path");
  case CallGrouping::Class:
    return ModelPartChoice::tr("By module class");
  case CallGrouping::Layer:
    return ModelPartChoice::tr("By layer");
  case CallGrouping::Phase:
    return ModelPartChoice::tr("By forward, backward, …");
  case CallGrouping::Graph:
    return ModelPartChoice::tr("By compiled graph");
  }
  return {};
}

} // namespace

ModelPartChoice::ModelPartChoice(const QString& none, QWidget* parent) : QComboBox(parent) {
  setAccessibleName(tr("Part of the model"));
  setToolTip(tr("Split rows by the part of the model that they belong to"));
  // A card in a narrow window has room for a few letters beside its other controls.
  setMinimumWidth(scaledToText(70));
  if (!none.isEmpty()) addItem(none);
  for (const CallGrouping grouping : kCallGroupings) addItem(titleOf(grouping), static_cast<int>(grouping));
  connect(this, &QComboBox::currentIndexChanged, this, [this] { emit groupingChanged(); });
}

std::optional<CallGrouping> ModelPartChoice::grouping() const {
  const QVariant chosen = currentData();
  if (!chosen.isValid()) return std::nullopt;
  return static_cast<CallGrouping>(chosen.toInt());
}

void ModelPartChoice::choose(std::optional<CallGrouping> grouping) {
  setCurrentIndex(grouping ? findData(static_cast<int>(*grouping)) : 0);
}

std::vector<ShownColumn> modelPartColumns() {
  return {
      {.source = "module",
       .title = ModelPartChoice::tr("Module"),
       .tip = ModelPartChoice::tr("Innermost module with those around it, outermost first"),
       .elideStart = true},
      {.source = "class",
       .title = ModelPartChoice::tr("Module class"),
       .tip = ModelPartChoice::tr("Class of the innermost module")},
      {.source = "layer",
       .title = ModelPartChoice::tr("Layer"),
       .tip = ModelPartChoice::tr("Repeating module that it lies in, numbered in order of first calls")},
      {.source = "phase",
       .title = ModelPartChoice::tr("Phase"),
       .tip = ModelPartChoice::tr("Forward, recomputation, backward, optimizer, loss or data loader")},
      {.source = "graph",
       .title = ModelPartChoice::tr("Compiled graph"),
       .tip = ModelPartChoice::tr("Region of torch.compile, and the graph that ran in it")},
  };
}

QString whyNoModelParts(CallGrouping grouping, const TraceSet& traces) {
  const QString stacks = QString::fromStdString(optionFor(Recordable::Stacks, traces));
  switch (grouping) {
  case CallGrouping::Phase:
    return recordedByNsight(traces)
               ? ModelPartChoice::tr(
                     "No phases were recorded: name them with NVTX ranges such as \"forward\".")
               : ModelPartChoice::tr("No phases were recorded: name them with record_function(\"forward\").");
  case CallGrouping::Graph:
    return ModelPartChoice::tr("No compiled regions were recorded.");
  case CallGrouping::Module:
  case CallGrouping::Class:
    break;
  case CallGrouping::Layer:
    return ModelPartChoice::tr("No repeating modules were recorded: profile with %1.").arg(stacks);
  }
  return ModelPartChoice::tr("No modules were recorded: profile with %1.").arg(stacks);
}

ModelPartRows::ModelPartRows(PendingWork& pending, QObject* parent)
    : QObject(parent), m_choice(new ModelPartChoice(tr("Whole model"))), m_task(pending) {
  connect(m_choice, &ModelPartChoice::groupingChanged, this, &ModelPartRows::ask);
}

void ModelPartRows::setSource(std::shared_ptr<const JobReport> report, Make make) {
  m_report = std::move(report);
  m_make = std::move(make);
  // Of single events, which a digest has not.
  const bool possible = !m_report || !hasDigests(m_report->analysis().trace());
  m_choice->setVisible(possible);
  if (!possible && wanted()) return m_choice->choose(std::nullopt);
  if (wanted()) ask();
}

void ModelPartRows::ask() {
  m_table = nullptr;
  m_task.drop();
  const auto grouping = m_choice->grouping();
  if (grouping && m_report && m_make)
    m_task.ask([report = m_report, make = m_make, grouping] { return make(*report, *grouping); },
               [this](const std::shared_ptr<const ResultTable>& made) {
                 m_table = made;
                 emit changed();
               });
  emit changed();
}

} // namespace rankscope::ui
