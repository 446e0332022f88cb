// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a kernel computes on tensor cores (matrix cores on AMD), and whether an operator could: both judged
// by name, because traces do not record it. A name that no pattern knows counts as "does not". Searching
// the patterns costs about a microsecond a name: judge names, not events.
#pragma once

#include "core/base/strong_index.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

// The name of a kernel of Volta to Blackwell that issues matrix instructions, or of a Tensile or MFMA kernel.
[[nodiscard]] bool usesTensorCores(std::string_view kernelName);

// The name of an operator that multiplies matrices, convolves, or wraps one that does.
[[nodiscard]] bool isTensorCoreEligible(std::string_view operatorName);

// The two questions for NameIds of one table, each name judged when it is first asked for. One thread.
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
