// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/iteration_labels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace rankscope {

namespace {

std::int64_t sumOf(std::int64_t a, std::int64_t b) {
  if (a < 0 && b < 0) return -1;
  std::int64_t sum = 0;
  return __builtin_add_overflow(std::max<std::int64_t>(a, 0), std::max<std::int64_t>(b, 0), &sum) ? -1 : sum;
}

// Walks along a name; every step says whether it fits.
class NameScan {
 public:
  explicit NameScan(std::string_view rest) : m_rest(rest) {}

  bool takes(std::string_view text) {
    if (!m_rest.starts_with(text)) return false;
    m_rest.remove_prefix(text.size());
    return true;
  }
  bool takesNumber(std::int64_t& number) {
    const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), number);
    if (error != std::errc() || number < 0) return false;
    m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
    return true;
  }
  [[nodiscard]] bool atEnd() const { return m_rest.empty(); }
  [[nodiscard]] std::string_view rest() const { return m_rest; }

 private:
  std::string_view m_rest;
};

// "9(sq8155sk8430sqsq7475785sqsk7671310)", "9(8155)" or "1(888_788544)".
bool takesCounts(NameScan& scan, PhaseCounts& counts) {
  if (!scan.takesNumber(counts.requests) || !scan.takes("(")) return false;
  if (scan.takes("sq")) {
    return scan.takesNumber(counts.tokens) && scan.takes("sk") && scan.takesNumber(counts.context) &&
           scan.takes("sqsq") && scan.takesNumber(counts.squares) && scan.takes("sqsk") &&
           scan.takesNumber(counts.pairs) && scan.takes(")");
  }
  if (!scan.takesNumber(counts.tokens)) return false;
  if (scan.takes("_") && !scan.takesNumber(counts.squares)) return false;
  return scan.takes(")");
}

IterationPhase phaseOfCounts(std::int64_t prefills, std::int64_t decodes) {
  if (prefills > 0) return decodes > 0 ? IterationPhase::Mixed : IterationPhase::Prefill;
  return decodes > 0 ? IterationPhase::Decode : IterationPhase::Unknown;
}

// "execute_8192_context_9(…)_generation_37(…)", "execute_context_1(888)_generation_0(0)".
std::optional<IterationLabel> vllmLabel(std::string_view name) {
  NameScan scan(name);
  IterationLabel label;
  if (!scan.takes("execute_")) return std::nullopt;
  if (!scan.takes("context_") && !(scan.takesNumber(label.tokens) && scan.takes("_context_")))
    return std::nullopt;
  if (!takesCounts(scan, label.prefill) || !scan.takes("_generation_") || !takesCounts(scan, label.decode))
    return std::nullopt;
  if (label.tokens < 0) label.tokens = sumOf(label.prefill.tokens, label.decode.tokens);
  label.phase = phaseOfCounts(label.prefill.requests, label.decode.requests);
  return label;
}

// The number behind "key=" among the words of a label.
std::int64_t numberOf(std::string_view words, std::string_view key) {
  for (std::size_t at = words.find(key); at != std::string_view::npos; at = words.find(key, at + 1)) {
    const bool begins = at == 0 || words[at - 1] == ' ' || words[at - 1] == '[';
    NameScan scan(words.substr(at + key.size()));
    std::int64_t number = -1;
    if (begins && scan.takes("=") && scan.takesNumber(number)) return number;
  }
  return -1;
}

void takeSums(std::string_view words, char phase, PhaseCounts& counts) {
  const auto sum = [&](std::string_view of) {
    std::string key(1, phase);
    key += '_';
    key += of;
    return numberOf(words, key);
  };
  if (const std::int64_t tokens = sum("sq"); tokens >= 0) counts.tokens = tokens;
  counts.context = sum("sk");
  counts.squares = sum("sqsq");
  counts.pairs = sum("sqsk");
}

// "step[EXTEND bs=15 toks=15360]", "step[DECODE bs=32 g_sq=32 …]".
std::optional<IterationLabel> sglangLabel(std::string_view name) {
  NameScan scan(name);
  if (!scan.takes("step[") || !name.ends_with(']')) return std::nullopt;
  IterationLabel label;
  const bool mixed = scan.takes("MIXED");
  const bool prefill = !mixed && (scan.takes("EXTEND") || scan.takes("PREFILL"));
  const bool decode = !mixed && !prefill && scan.takes("DECODE");
  const std::string_view words = scan.rest();
  const std::int64_t batch = numberOf(words, "bs");
  label.tokens = numberOf(words, "toks");
  takeSums(words, 'c', label.prefill);
  takeSums(words, 'g', label.decode);
  label.phase = mixed     ? IterationPhase::Mixed
                : prefill ? IterationPhase::Prefill
                : decode  ? IterationPhase::Decode
                          : IterationPhase::Unknown;
  if (prefill) {
    label.prefill.requests = batch;
    if (label.prefill.tokens < 0) label.prefill.tokens = label.tokens;
  } else if (decode) {
    label.decode.requests = batch;
    if (label.tokens < 0) label.tokens = batch;
    if (label.decode.tokens < 0) label.decode.tokens = label.tokens;
  } else {
    label.prefill.requests = batch; // of both
  }
  return label;
}

// "prefill[bs=2 tok=14721 ctx=[1, 2]]", "decode[bs=117/128 tok=117 d=117 spec=3]".
std::optional<IterationLabel> atomLabel(std::string_view name) {
  const bool prefill = name.starts_with("prefill[");
  if ((!prefill && !name.starts_with("decode[")) || !name.ends_with(']')) return std::nullopt;
  const std::string_view words = name.substr(name.find('[') + 1);
  IterationLabel label;
  label.phase = prefill ? IterationPhase::Prefill : IterationPhase::Decode;
  label.tokens = numberOf(words, "tok");
  PhaseCounts& counts = prefill ? label.prefill : label.decode;
  counts.requests = numberOf(words, "bs");
  counts.tokens = label.tokens;
  NameScan scan(words);
  std::int64_t batch = 0;
  if (scan.takes("bs=") && scan.takesNumber(batch) && scan.takes("/") && scan.takesNumber(batch))
    label.padded = batch;
  return counts.requests < 0 ? std::nullopt : std::optional(label);
}

// "[Executor] _forward_step 12: 3 ctx reqs, 5 gen reqs", "executeStep: 3 ctx reqs, 5 gen reqs"; some versions
// have "96 ctx tokens," or "96 ctx tks," in between.
std::optional<IterationLabel> tensorRtLabel(std::string_view name) {
  const std::size_t step = name.find("_forward_step ");
  if (step == std::string_view::npos && !name.starts_with("executeStep: ")) return std::nullopt;
  const std::size_t colon = name.find(": ");
  if (colon == std::string_view::npos || (step != std::string_view::npos && colon < step))
    return std::nullopt;
  NameScan scan(name.substr(colon + 2));
  IterationLabel label;
  if (!scan.takesNumber(label.prefill.requests) || !scan.takes(" ctx reqs, ")) return std::nullopt;
  std::int64_t number = 0;
  if (!scan.takesNumber(number)) return std::nullopt;
  if (scan.takes(" ctx tokens, ") || scan.takes(" ctx tks, ")) {
    label.prefill.tokens = number;
    if (!scan.takesNumber(number)) return std::nullopt;
  }
  if (!scan.takes(" gen reqs")) return std::nullopt;
  label.decode.requests = number;
  label.decode.tokens = number;
  label.phase = phaseOfCounts(label.prefill.requests, label.decode.requests);
  if (label.prefill.requests == 0) label.prefill.tokens = 0;
  if (label.prefill.tokens >= 0) label.tokens = sumOf(label.prefill.tokens, label.decode.tokens);
  return label;
}

// "execute_diffusion_1_256x256": images and their size.
std::optional<IterationLabel> diffusionLabel(std::string_view name) {
  NameScan scan(name);
  IterationLabel label;
  std::int64_t side = 0;
  if (!scan.takes("execute_diffusion_") || !scan.takesNumber(label.prefill.requests) || !scan.takes("_") ||
      !scan.takesNumber(side) || !scan.takes("x") || !scan.takesNumber(side) || !scan.atEnd())
    return std::nullopt;
  return label;
}

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

} // namespace

std::string_view iterationPhaseText(IterationPhase phase) {
  static constexpr std::array<std::string_view, 4> kTexts{"unknown", "prefill", "decode", "mixed"};
  return kTexts[static_cast<std::size_t>(phase)];
}

std::int64_t IterationLabel::requests() const {
  return sumOf(prefill.requests, decode.requests);
}

std::int64_t IterationLabel::context() const {
  return sumOf(prefill.context, decode.context);
}

std::optional<IterationLabel> iterationLabel(std::string_view annotation) {
  if (auto label = vllmLabel(annotation)) return label;
  if (auto label = sglangLabel(annotation)) return label;
  if (auto label = tensorRtLabel(annotation)) return label;
  if (auto label = diffusionLabel(annotation)) return label;
  return atomLabel(annotation);
}

std::optional<IterationLabel> phaseLabel(std::string_view annotation) {
  // Behind the word only a number may stand.
  while (!annotation.empty() && (!isWordCharacter(annotation.back()) ||
                                 std::isdigit(static_cast<unsigned char>(annotation.back())) != 0))
    annotation.remove_suffix(1);
  const auto endsWithWord = [&](std::string_view word) {
    if (annotation.size() < word.size()) return false;
    const std::string_view end = annotation.substr(annotation.size() - word.size());
    const bool same = std::ranges::equal(
        end, word, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    return same && (annotation.size() == word.size() ||
                    !isWordCharacter(annotation[annotation.size() - word.size() - 1]));
  };
  IterationLabel label;
  if (endsWithWord("prefill"))
    label.phase = IterationPhase::Prefill;
  else if (endsWithWord("decode"))
    label.phase = IterationPhase::Decode;
  else
    return std::nullopt;
  return label;
}

} // namespace rankscope
