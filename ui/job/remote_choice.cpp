// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/remote_choice.h"

#include <utility>

namespace rankscope::ui {

std::vector<std::size_t> answeredFiles(const RemoteContents& contents, const RemoteAnswer& answer) {
  std::vector<std::size_t> files;
  files.reserve(contents.files.size());
  for (std::size_t i = 0; i < contents.files.size(); ++i) {
    const RemoteEntry& entry = contents.files[i];
    if (entry.rank && answer.ranks && !answer.ranks->contains(*entry.rank)) continue;
    if (entry.rank && answer.capture && entry.capture != *answer.capture) continue;
    if (!entry.node.empty() && answer.node && entry.node != *answer.node) continue;
    if (!answer.without.contains(entry.file.path)) files.push_back(i);
  }
  return files;
}

RemoteChooser::RemoteChooser(LoadJob& job, QObject* parent) : QObject(parent) {
  connect(&job, &LoadJob::started, this, &RemoteChooser::leave);
  connect(&job, &LoadJob::remoteListed, this, [this, &job](std::shared_ptr<const RemoteContents> contents) {
    m_contents = std::move(contents);
    m_paths = job.paths();
    m_options = job.options();
    emit asked();
  });
}

void RemoteChooser::choose(const RemoteAnswer& answer) {
  LoadOptions options = m_options;
  options.chooseRemote =
      [answer, asked = m_contents](const RemoteContents& contents) -> Result<std::vector<std::size_t>> {
    // Of several remotes the others were not asked about.
    if (contents.shown != asked->shown) return chosenFiles(contents, {});
    return answeredFiles(contents, answer);
  };
  emit openWanted(m_paths, options);
}

void RemoteChooser::leave() {
  if (std::exchange(m_contents, nullptr) != nullptr) emit left();
}

} // namespace rankscope::ui
