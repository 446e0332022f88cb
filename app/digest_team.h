// SPDX-License-Identifier: GPL-3.0-or-later
// The processes that digest a job together, started by MPI or a single one. All of them call the same
// functions in the same order.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

class DigestTeam {
 public:
  virtual ~DigestTeam() = default;

  [[nodiscard]] virtual std::size_t index() const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Name of the machine.
  [[nodiscard]] virtual std::string host() const = 0;

  // Sends parts[i] to process i and returns what the others sent to this one, by process. REQUIRES:
  // parts.size() == size().
  [[nodiscard]] virtual std::vector<std::string> exchange(std::vector<std::string> parts) = 0;
  // Ends all processes; does not return.
  virtual void abort(int exitCode) = 0;

  // What all processes sent, at the first one; empty at the others.
  [[nodiscard]] std::vector<std::string> gather(std::string own);
  // What the first process sent to this one. parts: empty at the others.
  [[nodiscard]] std::string scatter(std::vector<std::string> parts);
  // The first process's text.
  [[nodiscard]] virtual std::string broadcast(std::string text);
};

// A process of its own.
[[nodiscard]] std::unique_ptr<DigestTeam> singleProcess();

} // namespace rankscope
