// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a kernel uses tensor cores (AMD: matrix cores), and whether an operator could. By name only,
// because traces do not record it. Some microseconds per name, so call it per name, not per event.
#pragma once

#include "core/base/strong_index.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

// What kernelDtype says of the units of the name, where it says anything; else by the parts of names that the
// TensorBoard plugin knows, and newer ones. Nothing of a GEMM, a convolution or attention whose name does not
// tell.
[[nodiscard]] std::optional<bool> tensorCoresByName(std::string_view kernelName);

// The same; names that do not tell count as no.
[[nodiscard]] bool usesTensorCores(std::string_view kernelName);

// Matches operators that multiply matrices, convolve, or wrap such an operator.
[[nodiscard]] bool isTensorCoreEligible(std::string_view operatorName);

// Both questions for NameIds of one table, cached by name. For one thread.
class TensorCoreNames {
 public:
  explicit TensorCoreNames(const StringTable& names);

  [[nodiscard]] bool used(NameId kernel) { return judged(m_used, kernel, usesTensorCores); }
  [[nodiscard]] bool eligible(NameId op) { return judged(m_eligible, op, isTensorCoreEligible); }

 private:
  enum class Verdict : std::uint8_t { Unknown, No, Yes };

  [[nodiscard]] bool judged(std::vector<Verdict>& verdicts, NameId name, bool (*judge)(std::string_view)) {
    Verdict& verdict = verdicts[name.value];
    if (verdict == Verdict::Unknown) verdict = judge(m_names[name]) ? Verdict::Yes : Verdict::No;
    return verdict == Verdict::Yes;
  }

  const StringTable& m_names;
  std::vector<Verdict> m_used;     // by name
  std::vector<Verdict> m_eligible; // by name
};

} // namespace rankscope
