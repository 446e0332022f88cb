// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/digest/rank_image.h"

#include "core/base/deflated.h"
#include "core/io/cache/record_bytes.h"
#include "core/io/cache/trace_image.h"
#include "core/io/cache/trace_members.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace rankscope {

namespace {

template <class Trace, class Visit> void eachColumn(Trace& trace, Visit&& visit) {
  visit(trace.events.begin);
  visit(trace.events.duration);
  visit(trace.events.name);
  visit(trace.events.kind);
  visit(trace.events.link);
  visit(trace.events.source);
  visit(trace.deviceDetails);
  visit(trace.byLaunch);
}

// Times and indices differ little from one record to the next.
template <class Number> void toDifferences(std::span<Number> numbers) {
  for (std::size_t i = numbers.size(); i-- > 1;) numbers[i] -= numbers[i - 1];
  // Small ones of both signs have the same high bytes.
  constexpr int kSign = std::numeric_limits<Number>::digits - 1;
  for (Number& number : numbers) number = (number << 1) ^ (Number{0} - (number >> kSign));
}

template <class Number> void fromDifferences(std::span<Number> numbers) {
  for (Number& number : numbers) number = (number >> 1) ^ (Number{0} - (number & 1));
  for (std::size_t i = 1; i < numbers.size(); ++i) numbers[i] += numbers[i - 1];
}

// As whole numbers, if that is what they are.
template <PlainRecord T, class Visit> void visitNumbers(std::span<T> records, Visit&& visit) {
  if constexpr (sizeof(T) == sizeof(std::uint64_t) || sizeof(T) == sizeof(std::uint32_t)) {
    using Number = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
    std::vector<Number> numbers(records.size());
    if (!records.empty()) std::memcpy(numbers.data(), records.data(), records.size_bytes());
    visit(std::span(numbers));
    if (!records.empty())
      std::memcpy(static_cast<void*>(records.data()), numbers.data(), records.size_bytes());
  }
}

// The first bytes of all records, then the second ones, ...: each compresses better alone.
template <PlainRecord T> std::string bytesOf(const Column<T>& column) {
  std::vector<T> records(column.size());
  if (!records.empty()) copyRecordBytes(column.span(), std::as_writable_bytes(std::span(records)));
  visitNumbers(std::span(records), [](auto numbers) { toDifferences(numbers); });
  const auto* const from = reinterpret_cast<const char*>(records.data());
  std::string bytes(records.size() * sizeof(T), '\0');
  for (std::size_t byte = 0, to = 0; byte < sizeof(T); ++byte)
    for (std::size_t i = 0; i < records.size(); ++i) bytes[to++] = from[i * sizeof(T) + byte];
  return bytes;
}

template <PlainRecord T> bool readColumn(std::string_view bytes, Column<T>& column) {
  if (bytes.size() % sizeof(T) != 0) return false;
  std::vector<T> values(bytes.size() / sizeof(T));
  auto* const to = reinterpret_cast<char*>(values.data());
  for (std::size_t byte = 0, from = 0; byte < sizeof(T); ++byte)
    for (std::size_t i = 0; i < values.size(); ++i) to[i * sizeof(T) + byte] = bytes[from++];
  visitNumbers(std::span(values), [](auto numbers) { fromDifferences(numbers); });
  column = Column<T>(std::move(values));
  return true;
}

// The recording, then the sections.
constexpr std::size_t kImageParts = 1 + kDigestSections;

// What answers lie in. Sections lie in the compressed bytes.
struct Bytes {
  std::string answers;
  std::shared_ptr<const void> compressed;
};

// Compressed one by one, so that each is read when it is asked for and not kept.
template <std::size_t Count> std::string packedParts(const std::array<std::string, Count>& parts) {
  Packer packer;
  for (const std::string& part : parts) packer(deflated(part));
  return packer.takeBytes();
}

template <std::size_t Count>
bool readParts(std::string_view bytes, std::array<std::string_view, Count>& parts) {
  Unpacker reader(bytes);
  reader(parts);
  return reader.ok() && reader.atEnd();
}

// Replaces the numbers of the image by names of the job.
bool takeNames(RankTrace& trace, std::span<const NameId> names) {
  std::vector<NameId> ofEvents = trace.events.name.take();
  for (NameId& name : ofEvents) {
    if (name.value >= names.size()) return false;
    name = names[name.value];
  }
  trace.events.name = Column(std::move(ofEvents));
  return true;
}

} // namespace

std::string packedRank(const RankImage& rank) {
  Packer packer;
  packer(rank.names);
  packer(rank.trace);
  eachColumn(rank.trace, [&](const auto& column) { packer(bytesOf(column)); });
  std::array<std::string, kImageParts> parts{packer.takeBytes()};
  std::ranges::copy(rank.sections, parts.begin() + 1);
  return packedParts(parts);
}

std::string packedJudgement(const std::string& account, const std::string& rows) {
  return packedParts(std::array{account, rows});
}

// Long answers stay compressed until they are asked for.
std::string packedAnswers(const std::vector<LoggedAnswer>& answers) {
  Packer packer;
  packer(std::uint64_t{answers.size()});
  for (const LoggedAnswer& answer : answers) packer(answer.question, answer.names, deflated(answer.bytes));
  return deflated(packer.bytes());
}

namespace {

// Sorted by question, as they were packed. False if the bytes are something else.
bool readAnswers(std::string_view bytes, StringInterner& names, std::vector<RankAnswer>& answers) {
  Unpacker reader(bytes);
  std::uint64_t count = 0;
  reader(count);
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    RankAnswer& answer = answers.emplace_back();
    reader(answer.question, texts, answer.packed);
    if (!reader.ok()) return false;
    answer.names.reserve(texts.size());
    for (const std::string& text : texts) answer.names.push_back(names.intern(text));
  }
  answers.shrink_to_fit();
  return reader.ok() && reader.atEnd() && std::ranges::is_sorted(answers, {}, &RankAnswer::question);
}

} // namespace

std::optional<OpenedRank> openedRank(std::string_view image, std::string_view account,
                                     std::string_view answers, std::shared_ptr<const void> owner,
                                     StringInterner& names) {
  std::array<std::string_view, kImageParts> parts;
  std::array<std::string_view, 2> judged;
  if (!readParts(image, parts) || (!account.empty() && !readParts(account, judged))) return std::nullopt;
  auto whole = inflated(parts.front());
  auto answered = answers.empty() ? std::optional(std::string()) : inflated(answers);
  if (!whole || !answered) return std::nullopt;
  Unpacker reader(*whole);
  std::vector<std::string> texts;
  auto trace = std::make_shared<RankTrace>();
  reader(texts, *trace);
  bool fits = reader.ok();
  eachColumn(*trace, [&](auto& column) {
    std::string_view records;
    if (fits) reader(records);
    fits = fits && reader.ok() && readColumn(records, column);
  });
  if (!fits || !reader.ok() || !reader.atEnd()) return std::nullopt;
  auto digest = std::make_shared<RankDigest>();
  std::ranges::copy(std::span(parts).subspan(1), digest->sections.begin());
  if (!account.empty()) {
    digest->sections[static_cast<std::size_t>(DigestSection::Account)] = judged.front();
    digest->sections[static_cast<std::size_t>(DigestSection::JudgedRows)] = judged.back();
  }
  const auto bytes = std::make_shared<const Bytes>(Bytes{*std::move(answered), std::move(owner)});
  if (!bytes->answers.empty() && !readAnswers(bytes->answers, names, digest->answers)) return std::nullopt;
  digest->owner = bytes;
  digest->names.reserve(texts.size());
  for (const std::string& text : texts) digest->names.push_back(names.intern(text));
  trace->pyramid = LongestPyramid(trace->events.duration.span());
  if (!takeNames(*trace, digest->names) || !isSound(*trace, names.size())) return std::nullopt;
  return OpenedRank{std::move(trace), std::move(digest)};
}

} // namespace rankscope
