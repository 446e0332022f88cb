// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_team.h"

#include <array>
#include <cstdlib>

#include <unistd.h>

namespace rankscope {

namespace {

class SingleProcess : public DigestTeam {
 public:
  [[nodiscard]] std::size_t index() const override { return 0; }
  [[nodiscard]] std::size_t size() const override { return 1; }
  [[nodiscard]] std::string host() const override {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
  }
  [[nodiscard]] std::vector<std::string> exchange(std::vector<std::string> parts) override { return parts; }
  void abort(int exitCode) override { std::exit(exitCode); }
};

} // namespace

std::vector<std::string> DigestTeam::gather(std::string own) {
  std::vector<std::string> parts(size());
  parts.front() = std::move(own);
  std::vector<std::string> all = exchange(std::move(parts));
  if (index() != 0) all.clear();
  return all;
}

std::string DigestTeam::scatter(std::vector<std::string> parts) {
  parts.resize(size());
  return std::move(exchange(std::move(parts)).front());
}

std::string DigestTeam::broadcast(std::string text) {
  if (size() == 1) return text;
  std::vector<std::string> parts;
  if (index() == 0) parts.assign(size(), text);
  return scatter(std::move(parts));
}

std::unique_ptr<DigestTeam> singleProcess() {
  return std::make_unique<SingleProcess>();
}

} // namespace rankscope
