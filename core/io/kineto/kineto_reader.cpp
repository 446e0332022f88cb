// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/kineto_reader.h"

#include "core/io/files/file_kind.h"
#include "core/io/json/json_scan.h"
#include "core/io/kineto/argument_texts.h"
#include "core/io/kineto/event_details.h"
#include "core/io/kineto/event_excerpt.h"
#include "core/io/kineto/event_sample.h"
#include "core/io/kineto/other_json.h"
#include "core/io/kineto/slice_flow.h"
#include "core/io/kineto/step_marks.h"
#include "core/io/kineto/trace_metadata.h"
#include "core/io/reader/steps_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 2> kNameEndings{".json", ".json.gz"};

// Beyond any file: of what has no place in it.
constexpr SourceRef kWholeFile((std::uint64_t{1} << SourceRef::kBits) - 1);

std::string placeText(SourceRef at) {
  if (at == kWholeFile) return {};
  return "byte " + std::to_string(at.readerBits());
}

class KinetoDetails final : public DetailSource {
 public:
  explicit KinetoDetails(std::string path) : m_path(std::move(path)) {}

  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef event) const override {
    return readEventFields(m_path, event);
  }

  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef> events, EventArgument wanted,
                                               const std::function<void(std::size_t, std::string_view)>& take,
                                               const Progress* progress) const override {
    switch (wanted) {
    case EventArgument::InputShapes:
      return readArguments(m_path, events, inputShapeKeys(), take, progress);
    case EventArgument::CallStack:
      return readArguments(m_path, events, callStackKeys(), take, progress);
    case EventArgument::LaunchShape:
      return readArguments(m_path, events, gridAndBlockKeys(), take, progress, SeveralKeys::Joined);
    case EventArgument::OperatorInputs:
      return readArguments(m_path, events, operatorInputKeys(), take, progress, SeveralKeys::Each);
    }
    return std::nullopt;
  }

 private:
  std::string m_path;
};

EventFilter filterOf(const LoadFilter& filter) {
  return {filter.skipPython, filter.skipCpuOps, {}};
}

// Removes a byte order mark and leading white space.
std::string_view jsonText(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const char* const end = text.data() + text.size();
  const char* const first = skipJsonSpace(text.data(), end);
  return {first, static_cast<std::size_t>(end - first)};
}

bool isJsonText(std::string_view text) {
  text = jsonText(text);
  return text.starts_with('{') || text.starts_with('[');
}

Error otherKind(const FileBytes& file, const std::string& kind) {
  return {ErrorKind::NotATrace, "not a trace but " + kind, file.path(), std::nullopt};
}

Error noEvents(const FileBytes& file, const EventSlicer& slicer) {
  if (!slicer.diagnostics().items().empty()) {
    const Diagnostic& first = slicer.diagnostics().items().front();
    return {ErrorKind::Format, first.text, file.path(), first.at.readerBits()};
  }
  const std::string start = startOf(file);
  if (!isJsonText(start)) return otherKind(file, kindOfText(start));
  if (!slicer.isWholeWithoutEvents())
    return {ErrorKind::NotATrace, "not a trace: its JSON text ends, or is damaged, before any event",
            file.path(), std::nullopt};
  std::vector<std::string> keys;
  for (const RootMember& member : slicer.rootMembers()) keys.push_back(member.key);
  return otherKind(file, kindOfObject(keys));
}

// Error for a JSON array that contains no events; empty if it may contain some.
std::optional<Error> listOfOthers(const FileBytes& file) {
  const std::string start = startOf(file);
  const std::string_view text = jsonText(start);
  const auto kind = text.starts_with('[') ? kindOfArray(text) : std::nullopt;
  return kind ? std::optional(otherKind(file, *kind)) : std::nullopt;
}

} // namespace

std::span<const std::string_view> KinetoReader::nameEndings() const {
  return kNameEndings;
}

FormatMatch KinetoReader::match(const FileBytes& file) const {
  return isJsonText({file.bytes().data(), file.bytes().size()}) ? FormatMatch::Yes : FormatMatch::Maybe;
}

Result<FileReading> KinetoReader::read(const FileBytes& file, ReadContext& context) const {
  if (auto other = listOfOthers(file)) {
    context.progress.bytesDone += file.bytes().size();
    return *std::move(other);
  }
  EventSlicer slicer(file, m_sliceBytes);
  if (!slicer.start()) {
    context.progress.bytesDone += file.bytes().size();
    return noEvents(file, slicer);
  }
  EventFilter filter = filterOf(context.filter);
  if (context.filter.steps) filter.window = markedSteps(file, *context.filter.steps);
  Result<FileEvents> read = readSlices(file, slicer, context, filter);
  if (!read) return read.error();
  FileEvents events = std::move(read).value();
  events.placeText = placeText;
  if (filter.window) events.onlyLaunchedFrom = filter.window->end;
  events.diagnostics = slicer.diagnostics();
  events.metadata = metadataFrom(slicer.rootMembers(), events.diagnostics);
  if (context.filter.steps && !filter.window)
    events.diagnostics.add(DiagnosticKind::Suspicious, kWholeFile,
                           unmarkedStepsText("ProfilerStep", *context.filter.steps,
                                             rankscope::stepNumbers(file, context.progress.cancel)));
  if (const auto change = file.change())
    events.diagnostics.add(change->kind, SourceRef(change->byte), change->text);
  FileReading reading;
  reading.recordings.push_back(std::move(events));
  reading.textBytes = slicer.textBytes();
  return reading;
}

std::shared_ptr<const DetailSource> KinetoReader::details(const std::string& path, std::size_t) const {
  return std::make_shared<const KinetoDetails>(path);
}

FileSample KinetoReader::sample(const FileBytes& file, const LoadFilter& filter) const {
  return sampledEvents(file, filterOf(filter));
}

// distributedInfo stands before the events. Its text may end inside of the list of process groups.
std::optional<int> KinetoReader::rankInFront(const FileBytes& file) const {
  constexpr std::size_t kFront = std::size_t{256} << 10;
  std::string unpacked;
  std::string_view front(file.bytes().data(), std::min(file.bytes().size(), kFront));
  if (file.compressed()) {
    unpacked.resize(kFront);
    Inflater inflater(file.bytes());
    unpacked.resize(inflater.read(unpacked));
    front = unpacked;
  }
  front = front.substr(0, front.find("\"traceEvents\""));
  for (const std::string_view key : {"\"distributedInfo\"", "\"rank\""}) {
    const std::size_t at = front.find(key);
    if (at == front.npos) return std::nullopt;
    front.remove_prefix(at + key.size());
  }
  front.remove_prefix(std::min(front.find_first_not_of(" \t\r\n:\""), front.size()));
  int rank = -1;
  const auto read = std::from_chars(front.data(), front.data() + front.size(), rank);
  return read.ec == std::errc() && rank >= 0 ? std::optional(rank) : std::nullopt;
}

std::optional<LoadFilter::Steps> KinetoReader::stepNumbers(const FileBytes& file,
                                                           const std::atomic<bool>& cancel) const {
  return rankscope::stepNumbers(file, cancel);
}

Result<Excerpt> KinetoReader::excerpt(const FileBytes& file, const ExcerptRequest& request) const {
  return eventExcerpt(file, request, m_sliceBytes);
}

} // namespace rankscope
