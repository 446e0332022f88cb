// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/rank_names.h"

#include "core/io/files/trace_folder.h"
#include "core/io/placement/name_words.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

constexpr std::size_t kMaxPathLength = 4096;
// Corresponds to March 1973.
constexpr std::int64_t kFirstWallTime = 100'000'000'000'000'000;

bool endsWith(std::string_view text, std::string_view lowerEnd) {
  if (text.size() < lowerEnd.size()) return false;
  const std::string_view end = text.substr(text.size() - lowerEnd.size());
  return std::ranges::equal(end, lowerEnd, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

bool dropEnd(std::string_view& text, std::string_view lowerEnd) {
  if (text.size() <= lowerEnd.size() || !endsWith(text, lowerEnd)) return false;
  text.remove_suffix(lowerEnd.size());
  return true;
}

// A file name without its endings.
struct Stem {
  std::string_view text;
  bool ptTrace = false; // it ended in .pt.trace.json: named by the handler, with a stamp and host_pid
};

Stem stemOf(std::string_view fileName) {
  Stem stem{fileName, false};
  dropEnd(stem.text, ".gz");
  dropEnd(stem.text, ".json");
  const bool trace = dropEnd(stem.text, ".trace");
  stem.ptTrace = trace && dropEnd(stem.text, ".pt");
  return stem;
}

// Takes the handler's ".1795207676982899231" at the end of a stem.
void takeStampAtEnd(Stem& stem, NameFacts& facts) {
  const std::size_t dot = stem.text.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return;
  const std::string_view digits = stem.text.substr(dot + 1);
  const auto value = wholeNumber(digits);
  if (!value || (digits.size() < 10 && !stem.ptTrace)) return;
  facts.stamp = epochMoment(digits).value_or(*value);
  stem.text = stem.text.substr(0, dot);
}

// Takes the ".2" of X.2.sqlite: nsys numbers the ranges that it captures one after the other.
void takeCaptureNumber(Stem& stem, NameFacts& facts) {
  constexpr std::size_t kMostDigits = 3;
  std::string_view name = stem.text;
  if (!dropEnd(name, ".sqlite") && !dropEnd(name, ".sqlite3") && !dropEnd(name, ".db")) return;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || name.size() - dot - 1 > kMostDigits) return;
  const auto number = wholeNumber(name.substr(dot + 1));
  if (!number) return;
  facts.stamp = *number;
  stem.text = name.substr(0, dot);
}

// "Jul_15_10_52_41.1074": a time stamp without a year, then the process id.
bool takeMastEnd(Stem& stem, NameFacts& facts) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  const NameTokens tokens(stem.text);
  for (std::size_t i = 0; i + 10 < tokens.size(); ++i) {
    const auto month = std::ranges::find(kMonths, tokens[i].lower);
    if (month == kMonths.end()) continue;
    const auto number = [&](std::size_t k) {
      return tokens.isNumber(i + k, 1, 2) ? tokens.number(i + k) : 99;
    };
    const auto moment =
        momentOf(1970, month - kMonths.begin() + 1, number(2), number(4), number(6), number(8));
    if (!moment || !tokens.isMark(i + 9, ".") || !tokens.isNumber(i + 10, 1, 10)) continue;
    facts.stamp = moment;
    facts.pid = tokens.number(i + 10);
    facts.producer = Producer::Mast;
    stem.text = stem.text.substr(0, static_cast<std::size_t>(tokens[i].text.data() - stem.text.data()));
    while (!stem.text.empty() && (stem.text.back() == '.' || stem.text.back() == '_'))
      stem.text.remove_suffix(1);
    return true;
  }
  return false;
}

// libkineto_trace_4711, libkineto_activities_4711, libkineto_trace_host_4711.
bool readLibkineto(std::string_view stem, NameFacts& facts) {
  for (const std::string_view start : {"libkineto_trace_", "libkineto_activities_"}) {
    if (!stem.starts_with(start)) continue;
    const std::string_view rest = stem.substr(start.size());
    const std::size_t split = rest.rfind('_');
    const bool withHost = split != std::string_view::npos && split > 0;
    const auto pid = wholeNumber(withHost ? rest.substr(split + 1) : rest);
    if (!pid) continue;
    facts.producer = Producer::Dynolog;
    facts.pid = pid;
    if (withHost) facts.host = std::string(rest.substr(0, split));
    return true;
  }
  return false;
}

// nccl_trace_rank_3, comm_lib_trace_rank_3, nccl_trace_rank_container-node07_40.
bool readFlightRecorder(std::string_view stem, NameFacts& facts) {
  const std::optional<std::string_view> rest = afterFlightRecorderPrefix(stem);
  if (!rest) return false;
  const std::size_t split = rest->rfind('_');
  const auto rank = wholeNumber(split == std::string_view::npos ? *rest : rest->substr(split + 1));
  facts.producer = Producer::FlightRecorder;
  facts.notARank = true;
  facts.reason = kFlightRecorderReason;
  if (rank && *rank < 10'000'000) facts.rank = static_cast<int>(*rank);
  if (split != std::string_view::npos) facts.host = std::string(rest->substr(0, split));
  return true;
}

// {profile id}-TP-0[-DP-0][-PP-0][-EP-0][-EXTEND].
bool readSglang(const Stem& stem, NameFacts& facts) {
  const std::size_t start = stem.text.find("-TP-");
  if (start == std::string_view::npos || start == 0) return false;
  const NameTokens tokens(stem.text.substr(start + 1));
  std::size_t i = 0;
  for (; i + 2 < tokens.size(); i += 4) {
    if (!tokens.isWordOf(i, {"tp", "dp", "pp", "ep"}) || !tokens.isMark(i + 1, "-") ||
        !tokens.isNumber(i + 2, 1, 5))
      break;
    facts.coordinates.push_back({tokens[i].lower, static_cast<int>(tokens.number(i + 2))});
  }
  if (facts.coordinates.empty()) return false;
  if (i < tokens.size() && tokens[i].kind == NameTokens::Kind::Word) facts.role = tokens[i].lower;
  facts.producer = Producer::Sglang;
  facts.group = std::string(stem.text.substr(0, start));
  facts.ownJob = true;
  // A single tensor-parallel index is the rank. With more axes, all files together determine the ranks.
  if (facts.coordinates.size() == 1) facts.rank = facts.coordinates.front().index;
  return true;
}

// benchmark-data-0-pipeline-1-tensor-2.
bool readMegaScan(const NameTokens& tokens, NameFacts& facts) {
  if (!tokens.isWord(0, "benchmark") || tokens.size() != 13) return false;
  for (std::size_t i = 2; i < 13; i += 4) {
    if (!tokens.isWordOf(i, {"data", "pipeline", "tensor"}) || !tokens.isNumber(i + 2, 1, 5)) return false;
    facts.coordinates.push_back({*axisOf(tokens[i].lower), static_cast<int>(tokens.number(i + 2))});
  }
  facts.producer = Producer::MegaScan;
  facts.group = "benchmark";
  return true;
}

// Names that consist of a word and a number: profile_3, kineto_3, trace_kineto.3, 3_trace, fit-run-3.
bool readShortForms(const Stem& stem, NameTokens& tokens, NameFacts& facts) {
  const std::size_t n = tokens.size();
  if (!stem.ptTrace && n == 3 && tokens.isWord(0, "profile") && tokens.isMark(1, "_") &&
      tokens.isNumber(2, 1, 5)) {
    facts.producer = Producer::Accelerate;
    facts.rank = static_cast<int>(tokens.number(2));
    tokens.take(2, 2);
    return true;
  }
  if (!stem.ptTrace && n >= 3 && tokens.isWord(n - 3, "kineto") && tokens.isMark(n - 2, "._-") &&
      tokens.isNumber(n - 1, 1, 5)) {
    facts.producer = Producer::Chakra;
    facts.rank = static_cast<int>(tokens.number(n - 1));
    tokens.take(n - 1, n - 1);
    return true;
  }
  if (n == 3 && tokens.isNumber(0, 1, 3) && tokens.isMark(1, "_") && tokens.isWord(2, "trace")) {
    facts.producer = Producer::Lightning;
    facts.localRank = static_cast<int>(tokens.number(0));
    tokens.take(0, 0);
    return true;
  }
  const bool lightningAction =
      tokens.isMark(0, "[") ||
      tokens.isWordOf(0, {"fit", "validate", "test", "predict", "training", "run"}) ||
      tokens.isWordOf(0, {"validation", "optimizer", "backward"});
  if (stem.ptTrace && lightningAction && n >= 3 && tokens.isMark(n - 2, "-") &&
      tokens.isNumber(n - 1, 1, 3)) {
    facts.producer = Producer::Lightning;
    facts.localRank = static_cast<int>(tokens.number(n - 1));
    tokens.take(n - 1, n - 1);
    return true;
  }
  return false;
}

void takeCoordinates(NameTokens& tokens, NameFacts& facts) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].taken || tokens[i].kind != NameTokens::Kind::Word || tokens[i].lower.size() > 3) continue;
    const auto axis = axisOf(tokens[i].lower);
    const std::size_t at = axis ? tokens.numberAfter(i, 5) : NameTokens::kNone;
    if (at == NameTokens::kNone) continue;
    facts.coordinates.push_back({*axis, static_cast<int>(tokens.number(at))});
    // "tp8_rank0" may state a size. So if the name also has a rank, the text remains part of the job's name,
    // except in names of vLLM.
    if (!facts.rank || facts.producer == Producer::Vllm) tokens.take(i, at);
  }
}

// The handler's host_pid: split at the last '_'.
bool takeHostAndPid(const NameTokens& tokens, NameFacts& facts) {
  const std::string rest = tokens.rest();
  const std::size_t split = rest.rfind('_');
  if (split == std::string::npos || split == 0 || rest.size() - split > 11) return false;
  const auto pid = wholeNumber(std::string_view(rest).substr(split + 1));
  if (!pid) return false;
  facts.host = rest.substr(0, split);
  facts.pid = pid;
  facts.producer = Producer::TensorBoardHandler;
  return true;
}

void takeWorkerOrGpu(NameTokens& tokens, NameFacts& facts) {
  for (std::size_t i = 0; i < tokens.size() && !facts.rank && !facts.localRank; ++i) {
    const bool worker = tokens.isWord(i, "worker");
    const bool gpu = tokens.isWordOf(i, {"gpu", "cuda", "device"}) &&
                     (i == 0 || tokens[i - 1].kind == NameTokens::Kind::Mark);
    const std::size_t at =
        worker || gpu ? tokens.numberAfter(i, worker ? kRankDigits : 2) : NameTokens::kNone;
    if (at == NameTokens::kNone) continue;
    (worker ? facts.rank : facts.localRank) = static_cast<int>(tokens.number(at));
    tokens.take(i, at);
  }
}

Producer producerOfRankName(const Stem& stem, std::string_view whole, bool iterationFolder, int rank) {
  const std::string number = std::to_string(rank);
  if (stem.text == "rank" + number + "_trace" || (iterationFolder && !stem.ptTrace))
    return Producer::TorchTitan;
  if (!stem.ptTrace && stem.text == "rank-" + number) return Producer::Megatron;
  if (stem.text.ends_with("-rank-" + number)) return stem.ptTrace ? Producer::Vllm : Producer::TensorRtLlm;
  if (stem.ptTrace) return Producer::TensorBoardHandler;
  const bool sample = stem.text == "rank" + number || whole.starts_with("inference_rank") ||
                      whole.find("kineto") != std::string_view::npos;
  return sample ? Producer::Chakra : Producer::Unknown;
}

// [{prefix}_]prof_rank-3[_pid_yyyymmddHHMMSSmmm], in a folder per role.
void readVerl(NameTokens& tokens, NameFacts& facts, const std::string& roleFolder) {
  facts.producer = Producer::Verl;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens.isNumber(i, 1, 10) || !tokens.isMark(i + 1, "_") || !compactMoment(tokens[i + 2].text))
      continue;
    facts.pid = tokens.number(i);
    facts.stamp = compactMoment(tokens[i + 2].text);
    tokens.take(i, i + 2);
    break;
  }
  facts.role = roleFolder;
  facts.ownJob = !roleFolder.empty();
}

struct Folders {
  bool iteration = false;
  std::string nearestPlain; // innermost folder that is neither a node nor a step
};

Folders readFolders(std::string_view folders, NameFacts& facts) {
  Folders result;
  while (!folders.empty()) {
    const std::size_t slash = folders.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? folders : folders.substr(slash + 1);
    folders = slash == std::string_view::npos ? std::string_view{} : folders.substr(0, slash);
    const FolderFacts folder = factsFromFolder(name);
    if (!facts.folderRank) facts.folderRank = folder.rank;
    if (!facts.step) facts.step = folder.step;
    if (facts.nodeKey.empty()) facts.nodeKey = folder.node;
    if (folder.step && name.starts_with("iteration_")) result.iteration = true;
    if (result.nearestPlain.empty()) result.nearestPlain = folder.rest;
  }
  return result;
}

bool readMerged(const NameTokens& tokens, const Stem& stem, NameFacts& facts) {
  const std::size_t n = tokens.size();
  if (n == 0 ||
      (!tokens.isWordOf(0, {"merged", "combined"}) && !tokens.isWordOf(n - 1, {"merged", "combined"})))
    return false;
  NameTokens ranks(stem.text);
  if (takeRanks(ranks).rank) return false;
  facts.merged = true;
  facts.reason = "the name indicates a merge of several ranks";
  if (stem.text.starts_with("merged-")) {
    facts.producer = Producer::Sglang;
    facts.group = std::string(stem.text.substr(7));
    facts.ownJob = true;
  } else {
    facts.group = std::string(stem.text);
  }
  return true;
}

void readGeneric(const Stem& stem, std::string_view fileName, const Folders& folders, NameFacts& facts) {
  NameTokens tokens(stem.text);
  if (readMegaScan(tokens, facts)) return;
  RankWords words = takeRanks(tokens);
  facts.rank = words.rank;
  facts.localRank = words.localRank;
  facts.worldSize = words.worldSize;
  facts.coordinates = std::move(words.coordinates);
  if (facts.nodeKey.empty()) facts.nodeKey = words.node;
  // Must precede the step, because Lightning's "training_step-3" ends in a rank.
  const bool shortForm = !facts.rank && !facts.localRank && readShortForms(stem, tokens, facts);
  if (const auto step = takeStep(tokens)) facts.step = step;
  const bool vllm = facts.rank && stem.text.find("dp") != std::string_view::npos &&
                    stem.text.find("_pp") != std::string_view::npos &&
                    stem.text.find("_tp") != std::string_view::npos;
  if (vllm) facts.producer = Producer::Vllm;
  if (!facts.rank && !facts.localRank && !shortForm && stem.ptTrace) takeHostAndPid(tokens, facts);
  if (facts.pid && facts.producer == Producer::TensorBoardHandler) return;
  takeCoordinates(tokens, facts);
  if (facts.rank && stem.text.find("prof_rank-") != std::string_view::npos)
    readVerl(tokens, facts, folders.nearestPlain);
  if (!facts.stamp) facts.stamp = takeMoment(tokens);
  takeWorkerOrGpu(tokens, facts);
  if (facts.rank && facts.nodeKey.empty()) facts.nodeKey = takeNode(tokens);
  facts.group = tokens.rest();
  if (facts.ownJob) facts.group = facts.role + (facts.group.empty() ? "" : "/" + facts.group);
  if (facts.producer == Producer::Unknown && facts.rank)
    facts.producer = producerOfRankName(stem, fileName, folders.iteration, *facts.rank);
  if (facts.producer == Producer::Unknown && stem.ptTrace) facts.producer = Producer::TensorBoardHandler;
}

} // namespace

FolderFacts factsFromFolder(std::string_view folderName) {
  if (folderName.size() > kMaxPathLength) folderName.remove_prefix(folderName.size() - kMaxPathLength);
  FolderFacts facts;
  NameTokens withRank(folderName);
  NameTokens tokens(folderName);
  const RankWords words = takeRanks(tokens);
  facts.rank = words.rank;
  facts.node = takeNode(withRank);
  if (facts.node.empty()) facts.node = words.node;
  facts.step = takeStep(withRank);
  facts.rest = withRank.rest();
  (void)takeNode(tokens);
  (void)takeStep(tokens);
  facts.restNoRank = tokens.rest();
  return facts;
}

NameFacts factsFromName(std::string_view relativePath) {
  if (relativePath.size() > kMaxPathLength) relativePath.remove_prefix(relativePath.size() - kMaxPathLength);
  const std::size_t slash = relativePath.rfind('/');
  const std::string_view fileName =
      slash == std::string_view::npos ? relativePath : relativePath.substr(slash + 1);
  NameFacts facts;
  const Folders folders = readFolders(
      slash == std::string_view::npos ? std::string_view{} : relativePath.substr(0, slash), facts);

  Stem stem = stemOf(fileName);
  if (readFlightRecorder(stem.text, facts)) return facts;
  if (readLibkineto(stem.text, facts)) return facts;
  if (!takeMastEnd(stem, facts)) takeStampAtEnd(stem, facts);
  takeCaptureNumber(stem, facts);
  if (stem.text.find("async_llm") != std::string_view::npos) {
    facts.producer = Producer::Vllm;
    facts.notARank = true;
    facts.role = "async_llm";
    facts.reason = "vLLM's front end (async_llm), not a rank";
    facts.group = std::string(stem.text);
    return facts;
  }
  if (readMerged(NameTokens(stem.text), stem, facts) || readSglang(stem, facts)) return facts;
  readGeneric(stem, fileName, folders, facts);
  return facts;
}

bool stampIsWallTime(std::int64_t stamp) {
  return stamp >= kFirstWallTime;
}

std::string namePattern(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      pattern += c;
    else if (pattern.empty() || pattern.back() != '#')
      pattern += '#';
  }
  return pattern;
}

std::string_view producerText(Producer producer) {
  switch (producer) {
  case Producer::Unknown:
    return "";
  case Producer::TensorBoardHandler:
    return "tensorboard_trace_handler";
  case Producer::TorchTitan:
    return "torchtitan";
  case Producer::Megatron:
    return "Megatron-LM";
  case Producer::MegaScan:
    return "MegaScan";
  case Producer::Verl:
    return "verl";
  case Producer::Vllm:
    return "vLLM";
  case Producer::Sglang:
    return "SGLang";
  case Producer::TensorRtLlm:
    return "TensorRT-LLM";
  case Producer::Accelerate:
    return "Accelerate";
  case Producer::Lightning:
    return "Lightning";
  case Producer::Dynolog:
    return "dynolog";
  case Producer::Mast:
    return "MAST";
  case Producer::Chakra:
    return "HTA or Chakra";
  case Producer::FlightRecorder:
    return "Flight Recorder";
  }
  return "";
}

} // namespace rankscope
