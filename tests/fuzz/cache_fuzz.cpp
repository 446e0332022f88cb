// SPDX-License-Identifier: GPL-3.0-or-later
// A kept job whose bytes somebody changed: damage is noticed; and where even the checksums were made to fit
// it, what is opened leads nowhere that is not, so that every table can be made of it. The input is a list of
// changes to the file of a small job, because the file itself is another one on every machine: its first byte
// says whether checksums are made to fit (odd), then come changes of a place (two bytes), a part (one byte:
// header, directory, text or all of the file), a length (one byte) and the bytes that are put there.
#include "core/io/cache/trace_image.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include <xxhash.h>

using namespace rankscope;

namespace {

// As core/io/cache/checked_file.cpp lays it out.
constexpr std::size_t kHeaderBytes = 128;
constexpr std::size_t kFileBytesAt = 24, kDirectoryAt = 40, kDirectoryBytesAt = 48, kTableAt = 56,
                      kTableChecksumAt = 64, kChecksumAt = 120;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::uint64_t kFingerprint = 7;

using Bytes = std::vector<std::uint8_t>;

std::uint64_t numberAt(const Bytes& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

void putNumber(Bytes& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

Bytes imageOfSmallJob() {
  const std::string text = test::TraceText()
                               .distributedInfo(0, 2)
                               .addStep(1, 0, 100'000)
                               .addCpuOp(1, 100, 5000, "aten::mm")
                               .addCpuOp(2, 6000, 50, "MmBackward0")
                               .addFlow('s', 3, 100, 1, 100, "fwdbwd")
                               .addFlow('f', 3, 100, 2, 6000, "fwdbwd")
                               .addRuntime(1, 200, 50, "cudaLaunchKernel", 11)
                               .addKernel(0, 7, 1000, 900, "gemm", 11)
                               .addCollective(0, 20, 2000, 900, "allreduce", 4096, 2, 12)
                               .addCopy(0, 7, 3000, 10, "Memcpy HtoD (Pinned -> Device)", 4096)
                               .addMemory(1, 400, 512, 1024, 4096)
                               .addPython(1, 50, 6000, "train.py(3): step", 1)
                               .addThreadName(100, 1, "thread 1 (python)")
                               .text();
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "rank0.json", text);
  Progress progress;
  LoadOptions options;
  options.threadCount = 1;
  const auto traces = loadTraces({folder / "rank0.json"}, options, progress);
  CheckedFileWriter file(folder / "image", "who it was");
  const std::string directory = writeTraceImage(**traces, file, false);
  test::require(file.finish(directory, kFingerprint));
  std::ostringstream bytes;
  bytes << std::ifstream(folder / "image", std::ios::binary).rdbuf();
  const std::string content = bytes.str();
  return {content.begin(), content.end()};
}

void makeChecksumsFit(Bytes& bytes) {
  if (bytes.size() < kHeaderBytes) return;
  putNumber(bytes, kFileBytesAt, bytes.size());
  const std::uint64_t table = numberAt(bytes, kTableAt);
  if (table >= kHeaderBytes && table <= bytes.size()) {
    std::size_t entry = table;
    for (std::size_t at = kHeaderBytes; at < table && entry + 8 <= bytes.size();
         at += kBlockBytes, entry += 8)
      putNumber(bytes, entry, XXH3_64bits(bytes.data() + at, std::min<std::size_t>(kBlockBytes, table - at)));
    putNumber(bytes, kTableChecksumAt, XXH3_64bits(bytes.data() + table, bytes.size() - table));
  }
  putNumber(bytes, kChecksumAt, XXH3_64bits(bytes.data(), kChecksumAt));
}

void change(Bytes& bytes, std::span<const std::uint8_t> edits) {
  const std::uint64_t directoryAt = numberAt(bytes, kDirectoryAt);
  const std::uint64_t directoryBytes = numberAt(bytes, kDirectoryBytesAt);
  while (edits.size() >= 4) {
    const std::size_t place = edits[0] + std::size_t{256} * edits[1];
    const unsigned part = edits[2] % 4U;
    const std::size_t length = std::min<std::size_t>(edits[3], edits.size() - 4);
    std::size_t from = 0, size = bytes.size();
    if (part == 0) size = kHeaderBytes;
    if (part == 1) from = directoryAt, size = directoryBytes;
    if (part == 2) from = kHeaderBytes, size = directoryAt - kHeaderBytes;
    const std::size_t at = from + (size == 0 ? 0 : place % size);
    for (std::size_t i = 0; i < length && at + i < bytes.size(); ++i) bytes[at + i] = edits[4 + i];
    edits = edits.subspan(4 + length);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::MemoryFile memory;
  static const Bytes image = imageOfSmallJob();
  if (size == 0) return 0;
  Bytes bytes = image;
  change(bytes, {data + 1, size - 1});
  const bool fitted = data[0] % 2 == 1;
  if (fitted) makeChecksumsFit(bytes);
  memory.fill(bytes);
  CheckedFile file;
  if (CheckedFile::open(memory.path(), kFingerprint, file) != CheckedFileState::Whole) return 0;
  if (!file.verify(1, [](std::uint64_t) { return true; })) return 0;
  // Without new checksums, only what is not under any may differ: nothing.
  if (!fitted) test::require(bytes == image);
  const auto traces = readTraceImage(file, {}, 1);
  if (traces == nullptr) return 0;
  const JobReport report(std::make_shared<const Analysis>(traces));
  for (const TableSpec& spec : tableSpecs()) static_cast<void>(spec.make(report));
  return 0;
}
