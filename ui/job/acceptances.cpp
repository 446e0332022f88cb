// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/acceptances.h"

#include "ui/base/save_file.h"

#include <QUndoStack>

#include <algorithm>
#include <span>
#include <utility>

namespace rankscope::ui {

// Stores all of them before and after a change: there are few.
class AcceptancesCommand : public QUndoCommand {
 public:
  AcceptancesCommand(Acceptances& owner, const QString& what, std::vector<AcceptedFinding> after)
      : QUndoCommand(what), m_owner(owner), m_before(owner.m_accepted), m_after(std::move(after)) {}

  void undo() override { m_owner.set(m_before); }
  void redo() override { m_owner.set(m_after); }

 private:
  Acceptances& m_owner;
  std::vector<AcceptedFinding> m_before;
  std::vector<AcceptedFinding> m_after;
};

namespace {

std::vector<AcceptedFinding> without(std::vector<AcceptedFinding> accepted, const JobReport& report,
                                     const Finding& finding) {
  std::erase_if(accepted, [&](const AcceptedFinding& one) {
    return acceptedAs(report, finding, std::span(&one, 1)) != nullptr;
  });
  return accepted;
}

} // namespace

Acceptances::Acceptances(QUndoStack& undo, QObject* parent) : QObject(parent), m_undo(undo) {}

const AcceptedFinding* Acceptances::of(const JobReport& report, const Finding& finding) const {
  return acceptedAs(report, finding, m_accepted);
}

void Acceptances::accept(const JobReport& report, const Finding& finding, const QString& note) {
  std::vector<AcceptedFinding> accepted = without(m_accepted, report, finding);
  accepted.push_back(acceptanceOf(report, finding, note.trimmed().toStdString()));
  push(tr("accept a finding"), std::move(accepted));
}

void Acceptances::withdraw(const JobReport& report, const Finding& finding) {
  push(tr("withdraw an acceptance"), without(m_accepted, report, finding));
}

std::optional<QString> Acceptances::addFile(const QString& path) {
  const Result<std::vector<AcceptedFinding>> read = readAcceptedFindings(path.toStdString());
  if (!read) return QString::fromStdString(read.error().text());
  std::vector<AcceptedFinding> accepted = m_accepted;
  accepted.reserve(accepted.size() + read->size());
  for (const AcceptedFinding& one : *read)
    if (std::ranges::find(accepted, one) == accepted.end()) accepted.push_back(one);
  push(tr("add accepted findings"), std::move(accepted));
  return {};
}

std::optional<QString> Acceptances::write(const QString& path) const {
  return saveFile(path, QByteArray::fromStdString(acceptedFindingsText(m_accepted)));
}

void Acceptances::set(std::vector<AcceptedFinding> accepted) {
  if (accepted == m_accepted) return;
  m_accepted = std::move(accepted);
  emit changed();
}

void Acceptances::push(const QString& what, std::vector<AcceptedFinding> accepted) {
  if (accepted != m_accepted) m_undo.push(new AcceptancesCommand(*this, what, std::move(accepted)));
}

} // namespace rankscope::ui
