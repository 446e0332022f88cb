// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/group_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <string>
#include <vector>

namespace rankscope {

namespace {

// Lower-case words of letters and digits.
std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0)
      words.back() += static_cast<char>(std::tolower(letter));
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

class Words {
 public:
  explicit Words(std::string_view text) : m_words(wordsOf(text)) {}

  [[nodiscard]] bool any(std::initializer_list<std::string_view> of) const {
    return std::ranges::any_of(
        of, [&](std::string_view word) { return std::ranges::find(m_words, word) != m_words.end(); });
  }

 private:
  std::vector<std::string> m_words;
};

// More specific words first. The dimensions of torchtitan's meshes, Megatron's groups and short names.
RankDimension dimensionOfWords(const Words& words) {
  using enum RankDimension;
  const bool data = words.any({"dp", "ddp", "data", "replicate", "hsdp"});
  const bool tensor = words.any({"tp", "tensor"});
  const bool expert = words.any({"ep", "expert", "experts", "moe"});
  if (words.any({"fsdp", "shard", "sharded", "gtp", "zero"})) return Sharded;
  if (words.any({"etp"})) return ExpertTensor;
  if (words.any({"edp"})) return ExpertData;
  if (expert) {
    if (data) return ExpertData;
    return tensor && !words.any({"model"}) ? ExpertTensor : Expert;
  }
  if (words.any({"embedding", "embd"})) return Embedding;
  if (tensor) return data ? Model : Tensor;
  if (words.any({"pp", "pipeline", "pipe"})) return Pipeline;
  if (data || (words.any({"distributed"}) && words.any({"optimizer"}))) return Data;
  if (words.any({"cp", "sp", "context", "sequence", "ulysses", "ring"})) return Context;
  return words.any({"model"}) && words.any({"parallel"}) ? Model : Unknown;
}

} // namespace

std::string_view dimensionText(RankDimension dimension) {
  constexpr std::array<std::string_view, kRankDimensionCount> kTexts{
      "", "dp", "tp", "pp", "ep", "cp", "fsdp", "edp", "etp", "embedding", "model", "world"};
  return kTexts[static_cast<std::size_t>(dimension)];
}

RankDimension dimensionOfGroupName(std::string_view name) {
  const std::string_view parent = name.substr(0, name.find(":split:"));
  if (parent == "default_pg") return RankDimension::World;
  return dimensionOfWords(Words(parent));
}

} // namespace rankscope
