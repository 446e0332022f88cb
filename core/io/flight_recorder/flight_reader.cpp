// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/flight_recorder/flight_reader.h"

#include "core/io/pickle/stack_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <sys/stat.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kMostDimensions = 16;
constexpr std::size_t kMostTensors = 64; // written out; all are counted

std::vector<int> ranksInText(std::string_view text) {
  std::vector<int> ranks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (std::isdigit(static_cast<unsigned char>(*at)) == 0) {
      ++at;
      continue;
    }
    int rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error == std::errc()) ranks.push_back(rank);
    at = next;
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

enum class EntryKey : std::uint8_t {
  Unknown,
  RecordId,
  GroupId,
  Group,
  Sequence,
  P2pSequence,
  IsP2p,
  Operation,
  InputSizes,
  OutputSizes,
  InputTypes,
  OutputTypes,
  State,
  Retired,
  Timeout,
  Created,
  CreatedMicroseconds,
  Started,
  Completed,
  Frames,
};

EntryKey entryKeyNamed(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, EntryKey>, 21> kNames{{
      {"record_id", EntryKey::RecordId},
      {"id", EntryKey::RecordId},
      {"pg_id", EntryKey::GroupId},
      {"process_group", EntryKey::Group},
      {"collective_seq_id", EntryKey::Sequence},
      {"seq_id", EntryKey::Sequence},
      {"p2p_seq_id", EntryKey::P2pSequence},
      {"is_p2p", EntryKey::IsP2p},
      {"profiling_name", EntryKey::Operation},
      {"input_sizes", EntryKey::InputSizes},
      {"output_sizes", EntryKey::OutputSizes},
      {"input_dtypes", EntryKey::InputTypes},
      {"output_dtypes", EntryKey::OutputTypes},
      {"state", EntryKey::State},
      {"retired", EntryKey::Retired},
      {"timeout_ms", EntryKey::Timeout},
      {"time_created_ns", EntryKey::Created},
      {"time_created_us", EntryKey::CreatedMicroseconds},
      {"time_discovered_started_ns", EntryKey::Started},
      {"time_discovered_completed_ns", EntryKey::Completed},
      {"frames", EntryKey::Frames},
  }};
  const auto found =
      std::find_if(kNames.begin(), kNames.end(), [&](const auto& known) { return known.first == name; });
  return found == kNames.end() ? EntryKey::Unknown : found->second;
}

class FlightIntake {
 public:
  FlightIntake(const ValueTree& values, FlightRecord& to)
      : m_values(values), m_to(to), m_stacks(values, to.stacks) {}

  void root(ValueId root) {
    if (!m_values.isDict(root)) return entries(root); // the first versions
    m_to.version = m_values.text(m_values.member(root, "version"));
    m_to.libraryVersion = m_values.text(m_values.member(root, "comm_lib_version"));
    if (m_to.libraryVersion.empty())
      m_to.libraryVersion = m_values.text(m_values.member(root, "nccl_version"));
    m_values.eachMember(m_values.member(root, "pg_config"),
                        [&](ValueId key, ValueId value) { group(key, value); });
    m_values.eachMember(m_values.member(root, "pg_status"),
                        [&](ValueId key, ValueId value) { status(key, value); });
    entries(m_values.member(root, "entries"));
  }

 private:
  // Numbers are texts in some places of the JSON form.
  [[nodiscard]] std::optional<std::int64_t> number(ValueId id) const {
    if (const auto whole = m_values.integer(id)) return whole;
    const std::string_view text = m_values.text(id);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  // JSON has 0 where pickles have None.
  [[nodiscard]] std::optional<std::int64_t> time(ValueId id) const {
    const auto value = number(id);
    return value && *value > 0 ? value : std::nullopt;
  }

  void group(ValueId key, ValueId value) {
    FlightGroup made;
    made.name = m_values.text(m_values.member(value, "name"));
    if (made.name.empty()) made.name = m_values.text(key);
    made.desc = m_values.text(m_values.member(value, "desc"));
    const ValueId ranks = m_values.member(value, "ranks");
    made.ranks = ranksInText(m_values.text(ranks));
    m_values.eachItem(ranks, [&](ValueId item) {
      const auto rank = number(item);
      if (rank && *rank >= 0 && *rank <= INT32_MAX) made.ranks.push_back(static_cast<int>(*rank));
    });
    std::ranges::sort(made.ranks);
    m_to.groups.push_back(std::move(made));
  }

  void status(ValueId key, ValueId value) {
    const auto id = number(key);
    if (!id || !m_values.isDict(value)) return;
    const auto of = [&](std::string_view name) { return number(m_values.member(value, name)).value_or(-1); };
    m_to.status.push_back({*id, of("last_enqueued_collective"), of("last_started_collective"),
                           of("last_completed_collective")});
  }

  void entries(ValueId list) {
    if (m_values.isList(list)) m_to.entries.reserve(m_values.size(list));
    m_values.eachItem(list, [&](ValueId item) {
      if (!m_values.isDict(item)) return;
      FlightEntry entry;
      bool hasState = false;
      m_values.eachMember(item, [&](ValueId key, ValueId value) {
        const EntryKey of = keyOf(key);
        hasState |= of == EntryKey::State;
        member(entry, of, value);
      });
      // Where the file is cut within a call, it does not tell which one.
      if (m_to.partial && !hasState) return;
      m_to.entries.push_back(entry);
    });
  }

  // Dumps refer to the few texts of keys, so that most are known by their number.
  EntryKey keyOf(ValueId key) {
    KnownKey& known = m_keys[key % m_keys.size()];
    if (known.id != key) known = {key, entryKeyNamed(m_values.text(key))};
    return known.key;
  }

  void member(FlightEntry& entry, EntryKey key, ValueId value) {
    switch (key) {
    case EntryKey::RecordId:
      entry.recordId = number(value).value_or(0);
      return;
    case EntryKey::GroupId:
      entry.groupId = number(value).value_or(0);
      return;
    case EntryKey::Sequence:
      entry.sequence = number(value).value_or(0);
      return;
    case EntryKey::P2pSequence:
      entry.p2pSequence = number(value).value_or(0);
      return;
    case EntryKey::Retired:
      entry.retired = m_values.truth(value);
      return;
    case EntryKey::IsP2p:
      entry.p2p = m_values.truth(value);
      return;
    case EntryKey::Frames:
      entry.stack = m_stacks.stack(value);
      return;
    case EntryKey::Timeout:
      entry.timeoutMs = number(value);
      return;
    case EntryKey::State:
      entry.state = stateNamed(m_values.text(value));
      return;
    case EntryKey::Operation:
      return setOperation(entry, value);
    case EntryKey::Group:
      entry.groupName = m_stacks.text(m_values.item(value, 0));
      entry.groupDesc = m_stacks.text(m_values.item(value, 1));
      return;
    default:
      tensors(entry, key, value);
      times(entry, key, value);
    }
  }

  void tensors(FlightEntry& entry, EntryKey key, ValueId value) {
    if (key == EntryKey::InputSizes) entry.inputSizes = sizes(value, entry.inputElements);
    if (key == EntryKey::OutputSizes) entry.outputSizes = sizes(value, entry.outputElements);
    if (key == EntryKey::InputTypes) entry.inputTypes = types(value);
    if (key == EntryKey::OutputTypes) entry.outputTypes = types(value);
  }

  void times(FlightEntry& entry, EntryKey key, ValueId value) const {
    if (key == EntryKey::Created) entry.created = time(value);
    if (key == EntryKey::CreatedMicroseconds && time(value) && *time(value) < INT64_MAX / 1000)
      entry.created = *time(value) * 1000;
    if (key == EntryKey::Started) entry.started = time(value);
    if (key == EntryKey::Completed) entry.completed = time(value);
  }

  static FlightState stateNamed(std::string_view name) {
    if (name == "completed") return FlightState::Completed;
    return name == "started" ? FlightState::Started : FlightState::Scheduled;
  }

  // Likewise the few texts of operations.
  void setOperation(FlightEntry& entry, ValueId text) {
    KnownOperation& known = m_operations[text % m_operations.size()];
    if (known.id != text) known = operationOf(text);
    entry.backend = known.backend;
    entry.operation = known.operation;
    entry.p2p = entry.p2p || known.p2p;
  }

  struct KnownOperation {
    ValueId id = kNoValue;
    std::uint32_t backend = 0;
    std::uint32_t operation = 0;
    bool p2p = false;
  };

  KnownOperation operationOf(ValueId text) {
    KnownOperation of;
    of.id = text;
    std::string_view name = m_values.text(text);
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos) {
      of.backend = m_to.stacks.addText(name.substr(0, colon));
      name.remove_prefix(colon + 1);
    }
    of.operation = m_to.stacks.addText(name);
    of.p2p = name.starts_with("send ") || name.starts_with("recv ");
    return of;
  }

  // "[[4096, 1, 5120]]", and the number of elements, saturated.
  std::uint32_t sizes(ValueId list, std::int64_t& elements) {
    m_text = "[";
    elements = 0;
    std::size_t tensors = 0;
    m_values.eachItem(list, [&](ValueId shape) {
      std::int64_t product = 1;
      std::size_t dimensions = 0;
      const bool written = tensors++ < kMostTensors;
      if (written) m_text += m_text.size() > 1 ? ", [" : "[";
      m_values.eachItem(shape, [&](ValueId dimension) {
        const std::int64_t size = number(dimension).value_or(0);
        if (__builtin_mul_overflow(product, size, &product)) product = INT64_MAX;
        if (!written || dimensions >= kMostDimensions) return;
        if (dimensions++ > 0) m_text += ", ";
        const fmt::format_int digits(size);
        m_text.append(digits.data(), digits.size());
      });
      if (__builtin_add_overflow(elements, product, &elements)) elements = INT64_MAX;
      if (written) m_text += ']';
    });
    m_text += tensors > kMostTensors ? ", ...]" : "]";
    return m_to.stacks.addText(m_text);
  }

  // One name if all are equal.
  std::uint32_t types(ValueId list) {
    if (m_values.isList(list) && m_values.size(list) == 1) return m_stacks.text(m_values.item(list, 0));
    m_text.clear();
    std::string_view first;
    bool equal = true;
    std::size_t count = 0;
    m_values.eachItem(list, [&](ValueId item) {
      const std::string_view name = m_values.text(item);
      if (count == 0) first = name;
      equal = equal && name == first;
      if (count++ >= kMostTensors) return;
      if (!m_text.empty()) m_text += ", ";
      m_text += name;
    });
    return m_to.stacks.addText(equal ? first : std::string_view(m_text));
  }

  struct KnownKey {
    ValueId id = kNoValue;
    EntryKey key = EntryKey::Unknown;
  };

  const ValueTree& m_values;
  FlightRecord& m_to;
  StackReader m_stacks;
  std::array<KnownKey, 256> m_keys{};
  std::array<KnownOperation, 64> m_operations{};
  std::string m_text;
};

// In nanoseconds since 1970.
std::optional<std::int64_t> lastChange(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec;
}

// A name as digits and the texts around them.
struct NameParts {
  std::vector<std::string> texts; // one more than digits
  std::vector<std::string> digits;
};

NameParts partsOf(const std::string& name) {
  NameParts parts;
  parts.texts.emplace_back();
  for (std::size_t i = 0; i < name.size();) {
    if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) {
      parts.texts.back() += name[i++];
      continue;
    }
    std::string digits;
    while (i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0) digits += name[i++];
    parts.digits.push_back(std::move(digits));
    parts.texts.emplace_back();
  }
  return parts;
}

std::optional<int> rankOfDigits(const std::string& digits) {
  int rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(rank) : std::nullopt;
}

} // namespace

FlightRecord flightRecordOf(const PlainFile& file) {
  FlightRecord record;
  record.path = file.path;
  record.bytes = file.bytes;
  record.json = file.form == PlainForm::Json;
  record.partial = file.truncated;
  FlightIntake(file.values, record).root(file.root);
  return record;
}

Result<FlightRecord> readFlightRecord(const std::string& path) {
  const auto file = readPlainFile(path);
  if (!file) return file.error();
  FlightRecord record = flightRecordOf(*file);
  record.written = lastChange(path);
  return record;
}

std::vector<std::optional<int>> ranksOfDumpNames(std::span<const std::string> names) {
  std::vector<NameParts> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) parts.push_back(partsOf(name));
  // Names of one pattern belong together; in each, the last number in which they differ is the rank.
  std::map<std::vector<std::string>, std::vector<std::size_t>> byPattern;
  for (std::size_t i = 0; i < parts.size(); ++i) byPattern[parts[i].texts].push_back(i);
  std::vector<std::optional<int>> ranks(names.size());
  for (const auto& pattern : byPattern) {
    const std::vector<std::size_t>& members = pattern.second;
    const std::size_t count = parts[members.front()].digits.size();
    if (count == 0) continue;
    std::size_t place = count - 1;
    for (std::size_t i = count; i-- > 0;) {
      const bool differs = std::ranges::any_of(members, [&](std::size_t member) {
        return parts[member].digits[i] != parts[members.front()].digits[i];
      });
      if (!differs) continue;
      place = i;
      break;
    }
    for (const std::size_t member : members) ranks[member] = rankOfDigits(parts[member].digits[place]);
  }
  return ranks;
}

} // namespace rankscope
