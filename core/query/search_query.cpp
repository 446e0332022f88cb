// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/search_query.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <utility>

namespace rankscope {
namespace {

struct FieldName {
  std::string_view text;
  QueryField field;
};

constexpr std::array kFields{
    FieldName{"name", QueryField::Name},         FieldName{"dur", QueryField::Duration},
    FieldName{"duration", QueryField::Duration}, FieldName{"start", QueryField::Start},
    FieldName{"rank", QueryField::Rank},         FieldName{"device", QueryField::Device},
    FieldName{"gpu", QueryField::Device},        FieldName{"kind", QueryField::Kind},
    FieldName{"cat", QueryField::Kind},          FieldName{"phase", QueryField::Phase},
    FieldName{"track", QueryField::Track},       FieldName{"stream", QueryField::Stream},
    FieldName{"thread", QueryField::Thread},     FieldName{"process", QueryField::Process},
    FieldName{"group", QueryField::Group},       FieldName{"collective", QueryField::Collective},
};

constexpr std::array kHelp{
    SearchFieldHelp{"dur", "dur>5ms"},        SearchFieldHelp{"rank", "rank:0-3"},
    SearchFieldHelp{"kind", "kind:nccl"},     SearchFieldHelp{"name", "name:~^aten::.*mm$"},
    SearchFieldHelp{"track", "track:stream"}, SearchFieldHelp{"stream", "stream:7"},
    SearchFieldHelp{"thread", "thread:main"}, SearchFieldHelp{"process", "process:python"},
    SearchFieldHelp{"cat", "cat:cpu_op"},     SearchFieldHelp{"phase", "phase:backward"},
    SearchFieldHelp{"start", "start>1.2s"},   SearchFieldHelp{"device", "device:0"},
    SearchFieldHelp{"group", "group:dp"},     SearchFieldHelp{"collective", "collective:allreduce"},
};

constexpr std::uint32_t bit(Phase phase) {
  return 1u << static_cast<unsigned>(phase);
}

struct KindName {
  std::string_view text;
  std::uint32_t kinds;
};

constexpr std::uint32_t kDeviceKinds =
    bit(EventKind::Kernel) | bit(EventKind::Collective) | bit(EventKind::Copy) | bit(EventKind::Set);
constexpr std::uint32_t kHostKinds = bit(EventKind::CpuOp) | bit(EventKind::HostCollective) |
                                     bit(EventKind::Runtime) | bit(EventKind::Annotation) |
                                     bit(EventKind::Python);

// Common names first, then the categories of the format.
constexpr std::array kKinds{
    KindName{"kernel", bit(EventKind::Kernel)},
    KindName{"compute", bit(EventKind::Kernel)},
    KindName{"nccl", bit(EventKind::Collective)},
    KindName{"collective", bit(EventKind::Collective)},
    KindName{"comm", bit(EventKind::Collective)},
    KindName{"communication", bit(EventKind::Collective)},
    KindName{"memcpy", bit(EventKind::Copy)},
    KindName{"copy", bit(EventKind::Copy)},
    KindName{"memcpy", bit(EventKind::Copy)},
    KindName{"memset", bit(EventKind::Set)},
    KindName{"set", bit(EventKind::Set)},
    KindName{"memset", bit(EventKind::Set)},
    KindName{"device", kDeviceKinds},
    KindName{"gpu", kDeviceKinds},
    KindName{"op", bit(EventKind::CpuOp)},
    KindName{"host_collective", bit(EventKind::HostCollective)},
    KindName{"runtime", bit(EventKind::Runtime)},
    KindName{"annotation", bit(EventKind::Annotation)},
    KindName{"gpu_annotation", bit(EventKind::GpuAnnotation)},
    KindName{"python", bit(EventKind::Python)},
    KindName{"host", kHostKinds},
    KindName{"cpu", kHostKinds},
    KindName{"sync", bit(EventKind::Sync)},
    KindName{"overhead", bit(EventKind::Overhead)},
    KindName{"instant", bit(EventKind::Instant)},
    KindName{"span", bit(EventKind::Span)},
    KindName{"other", bit(EventKind::Other)},
};

std::uint32_t kindsOfCategory(EventCategory category) {
  switch (category) {
  case EventCategory::CpuOp:
    return bit(EventKind::CpuOp) | bit(EventKind::HostCollective);
  case EventCategory::UserAnnotation:
    return bit(EventKind::Annotation) | bit(EventKind::HostCollective);
  case EventCategory::GpuUserAnnotation:
    return bit(EventKind::GpuAnnotation);
  case EventCategory::Kernel:
    return bit(EventKind::Kernel) | bit(EventKind::Collective);
  case EventCategory::Memcpy:
    return bit(EventKind::Copy);
  case EventCategory::Memset:
    return bit(EventKind::Set);
  case EventCategory::Runtime:
    return bit(EventKind::Runtime);
  case EventCategory::Python:
    return bit(EventKind::Python);
  case EventCategory::Overhead:
    return bit(EventKind::Overhead);
  case EventCategory::Sync:
    return bit(EventKind::Sync);
  case EventCategory::Instant:
    return bit(EventKind::Instant);
  case EventCategory::Trace:
    return bit(EventKind::Span);
  default:
    return 0;
  }
}

struct PhaseName {
  std::string_view text;
  Phase phase;
};

constexpr std::array kPhases{
    PhaseName{"data", Phase::DataLoader},     PhaseName{"dataloader", Phase::DataLoader},
    PhaseName{"forward", Phase::Forward},     PhaseName{"loss", Phase::Loss},
    PhaseName{"backward", Phase::Backward},   PhaseName{"optimizer", Phase::Optimizer},
    PhaseName{"optimiser", Phase::Optimizer}, PhaseName{"step", Phase::Step},
};

// Levenshtein distance.
std::size_t editsBetween(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

constexpr bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string inQuotes(std::string_view text) {
  return '"' + std::string(text) + '"';
}

// A text of the query, delimited by quotes or spaces, with its position.
struct Value {
  std::string text;
  std::size_t at = 0;
  bool quoted = false;
};

class QueryParser {
 public:
  explicit QueryParser(std::string_view text) : m_text(text) {}

  Result<SearchQuery> parse() {
    SearchQuery query;
    for (skipSpace(); m_at < m_text.size() && !m_error; skipSpace()) query.terms.push_back(term());
    if (m_error) return *std::move(m_error);
    return query;
  }

 private:
  void skipSpace() {
    while (m_at < m_text.size() && isSpace(m_text[m_at])) ++m_at;
  }
  void fail(std::size_t at, std::string what) {
    if (!m_error) m_error = Error{ErrorKind::Format, std::move(what), {}, at};
  }
  [[nodiscard]] bool atEnd() const { return m_at >= m_text.size() || isSpace(m_text[m_at]); }

  SearchTerm term() {
    SearchTerm term;
    const std::size_t at = m_at;
    if (m_text[m_at] == '-') {
      term.negated = true;
      ++m_at;
      if (atEnd()) fail(at, "a term is missing after -; quote \"-\" to search for it");
      if (m_error) return term;
    }
    if (const auto field = takeField()) {
      term.field = *field;
      readOperand(term);
    } else if (!m_error) {
      readText(term);
    }
    return term;
  }

  // Takes the name of a field if an operator follows; does not take the operator.
  std::optional<QueryField> takeField() {
    std::size_t end = m_at;
    while (end < m_text.size() && ((m_text[end] | 0x20) >= 'a' && (m_text[end] | 0x20) <= 'z')) ++end;
    if (end == m_at || end == m_text.size()) return std::nullopt;
    const std::string word = folded(m_text.substr(m_at, end - m_at));
    const std::string_view rest = m_text.substr(end);
    const bool compares = rest.front() == '<' || rest.front() == '>' || rest.front() == '=';
    if ((rest.front() != ':' && !compares) || rest.starts_with("::")) return std::nullopt;
    for (const FieldName& known : kFields) {
      if (known.text != word) continue;
      m_at = end;
      return known.field;
    }
    // Kernel names often contain colons and angle brackets, so an unknown word is a text, unless it is close
    // to a field name.
    for (const FieldName& known : kFields) {
      if (word.size() < 3 || editsBetween(word, known.text) != 1) continue;
      fail(m_at, "unknown field " + inQuotes(word) + "; did you mean " + std::string(known.text) +
                     "? Quote the word to search for it");
      break;
    }
    return std::nullopt;
  }

  // Text up to the next space, or between quotes.
  Value value() {
    Value value{{}, m_at, false};
    if (m_at < m_text.size() && m_text[m_at] == '"') {
      value.quoted = true;
      ++m_at;
      ++value.at;
      while (m_at < m_text.size() && m_text[m_at] != '"') {
        const bool escape = m_text[m_at] == '\\' && m_at + 1 < m_text.size() &&
                            (m_text[m_at + 1] == '"' || m_text[m_at + 1] == '\\');
        if (escape) ++m_at;
        value.text += m_text[m_at++];
      }
      if (m_at == m_text.size()) fail(value.at - 1, "a closing quote is missing");
      ++m_at;
      return value;
    }
    while (!atEnd()) value.text += m_text[m_at++];
    return value;
  }

  void readText(SearchTerm& term) {
    WantedText wanted;
    if (m_text[m_at] == '~') {
      ++m_at;
      wanted.test = TextTest::Matches;
    } else if (m_text[m_at] == '=') {
      ++m_at;
      wanted.test = TextTest::Is;
    }
    const std::size_t at = m_at;
    const Value text = value();
    if (text.text.empty() && !text.quoted) fail(at, "a value is missing");
    if (m_error) return;
    if (wanted.test == TextTest::Matches) {
      auto pattern = TextPattern::parse(text.text);
      if (!pattern)
        return fail(text.at + pattern.error().byteOffset.value_or(0),
                    "regular expression: " + pattern.error().message);
      wanted.pattern = std::move(pattern).value();
    }
    wanted.text = wanted.test == TextTest::Is ? text.text : folded(text.text);
    term.texts.push_back(std::move(wanted));
  }

  void readOperand(SearchTerm& term) {
    const std::size_t at = m_at;
    std::string operation(1, m_text[m_at++]);
    if (operation != ":" && m_at < m_text.size() && m_text[m_at] == '=') operation += m_text[m_at++];
    if (atEnd()) return fail(at, "a value is missing after " + inQuotes(operation));
    switch (term.field) {
    case QueryField::Duration:
    case QueryField::Start:
    case QueryField::Rank:
    case QueryField::Device:
      return readNumbers(term, operation);
    case QueryField::Kind:
    case QueryField::Phase:
      if (operation != ":" && operation != "=") return fail(at, "this field accepts only :");
      return readWords(term);
    case QueryField::Name:
      if (operation == "=") --m_at; // in name:=x the = is part of the value
      [[fallthrough]];
    default:
      if (operation != ":" && operation != "=") return fail(at, "this field accepts only :");
      return readText(term);
    }
  }

  template <class Visit> void forEachPart(const Value& list, Visit&& visit) {
    for (std::size_t from = 0; from <= list.text.size() && !m_error;) {
      const std::size_t comma = std::min(list.text.find(',', from), list.text.size());
      visit(std::string_view(list.text).substr(from, comma - from), list.at + from);
      from = comma + 1;
    }
  }

  void readNumbers(SearchTerm& term, const std::string& operation) {
    const Value list = value();
    forEachPart(list, [&](std::string_view part, std::size_t at) {
      const bool isTime = term.field == QueryField::Duration || term.field == QueryField::Start;
      const std::string_view between = isTime ? ".." : "-";
      const std::size_t split = part.find(between);
      if (split != std::string_view::npos && (operation == ":" || operation == "=")) {
        const auto from = number(term.field, part.substr(0, split), at);
        const std::size_t after = split + between.size();
        const auto to = number(term.field, part.substr(after), at + after);
        if (!from || !to) return;
        if (*to < *from) return fail(at, "the range is reversed");
        // Ranges of times exclude their end, ranges of ranks include it; a range of one point is that point.
        term.numbers.push_back({*from, isTime && *from < *to ? *to : *to + 1});
        return;
      }
      if (const auto limit = number(term.field, part, at)) term.numbers.push_back(rangeOf(operation, *limit));
    });
  }

  static TimeRange rangeOf(std::string_view operation, std::int64_t limit) {
    if (operation == ">") return {limit + 1, kAllTime.end};
    if (operation == ">=") return {limit, kAllTime.end};
    if (operation == "<") return {kAllTime.begin, limit};
    if (operation == "<=") return {kAllTime.begin, limit + 1};
    return {limit, limit + 1};
  }

  std::optional<std::int64_t> number(QueryField field, std::string_view text, std::size_t at) {
    if (field == QueryField::Duration || field == QueryField::Start) {
      if (const auto duration = durationFromText(text)) return duration;
      fail(at, inQuotes(text) + " is not a time; examples: 5ms, 20us, 300ns, 1.5s");
      return std::nullopt;
    }
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure == std::errc() && end == text.data() + text.size() && value >= 0 && value < kAllTime.end)
      return value;
    fail(at, inQuotes(text) + " is not a number; examples: 3, 0-3, 0,4,7");
    return std::nullopt;
  }

  void readWords(SearchTerm& term) {
    const Value list = value();
    forEachPart(list, [&](std::string_view part, std::size_t at) {
      const std::string word = folded(part);
      const bool known = term.field == QueryField::Kind ? addKind(term, word) : addPhase(term, word);
      if (known) return;
      fail(at,
           inQuotes(part) +
               (term.field == QueryField::Kind
                    ? " is not a kind; use kernel, nccl, memcpy, memset, device, op, runtime, annotation, "
                      "python, host, sync or a category of the file"
                    : " is not a phase; use data, forward, loss, backward, optimizer or step"));
    });
  }

  static bool addKind(SearchTerm& term, std::string_view word) {
    std::uint32_t kinds = 0;
    for (const KindName& known : kKinds) {
      // Accept "kernels" as well as "kernel".
      if (word == known.text || (word.ends_with('s') && word.substr(0, word.size() - 1) == known.text))
        kinds |= known.kinds;
    }
    if (kinds == 0) kinds = kindsOfCategory(categoryFromText(word));
    term.kinds |= kinds;
    return kinds != 0;
  }

  static bool addPhase(SearchTerm& term, std::string_view word) {
    for (const PhaseName& known : kPhases) {
      if (known.text != word) continue;
      term.phases |= bit(known.phase);
      return true;
    }
    return false;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::optional<Error> m_error;
};

} // namespace

bool WantedText::accepts(std::string_view candidate) const {
  switch (test) {
  case TextTest::Is:
    return candidate == text;
  case TextTest::Matches:
    return pattern.foundIn(candidate);
  case TextTest::Holds:
    break;
  }
  return holdsFolded(candidate, text);
}

Result<SearchQuery> searchQueryFromText(std::string_view text) {
  return QueryParser(text).parse();
}

std::span<const SearchFieldHelp> searchFields() {
  return kHelp;
}

} // namespace rankscope
