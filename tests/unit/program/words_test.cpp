// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the program: none that was replaced by the field's own is left in what people read (texts of
// the programs, guide, README, manual pages), and the glossary lists terms that the programs use.
#include "tests/support/source_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = RANKSCOPE_SOURCE_DIR;

struct Replaced {
  std::string_view words; // lower case; a blank at an end is the border of a word
  std::string_view instead;
};

// Nowhere in what people read.
constexpr std::array kReplaced{
    Replaced{"among its name", "all calls with this name"},
    Replaced{"host meanwhile", "CPU activity during gap"},
    Replaced{"lets go on", "unblocks"},
    Replaced{"over each other", "align ranks to step start"},
    Replaced{"launches ahead", "launch queue depth"},
    Replaced{"worst ›", "next hotspot"},
    Replaced{"costliest places", "next hotspot"},
    Replaced{"own time", "step time excluding communication"},
    Replaced{"doubted", "suspicious"},
    Replaced{"doubts", "warnings"},
    Replaced{"mended", "repaired"},
    Replaced{"matrix product", "GEMM"},
    Replaced{"makes the others wait", "straggler"},
    Replaced{"being looked for", "looking for findings"},
    Replaced{"hidden by computation", "overlapped by compute"},
    Replaced{"that no computation hides", "exposed communication"},
    Replaced{"beside compute", "overlapped by compute"},
    Replaced{"least … most", "min … max"},
    Replaced{"least to most", "min … max"},
    Replaced{"what told", "source of"},
    Replaced{"stood still", "was idle"},
    Replaced{"for this sitting", "temporary"},
    Replaced{" kinds of trouble", "checks"},
    Replaced{"copies and sets", "memcpy and memset"},
    Replaced{"brought into line", "aligned"},
    Replaced{"left out of it", "skipped"},
    Replaced{"searched deep", "searched recursively"},
    Replaced{"colour", "color"},
    Replaced{"synchronis", "synchroniz"},
    Replaced{"centre ", "center"},
    Replaced{"analys ", "analyze"},
    Replaced{"neighbour", "neighbor"},
    Replaced{"grey ", "gray"},
};

std::string textOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool isWordByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

// A blank at an end of `words` stands for the border of a word.
bool holds(const std::string& text, std::string_view words) {
  const bool borderBefore = words.front() == ' ';
  const bool borderAfter = words.back() == ' ';
  if (borderBefore) words.remove_prefix(1);
  if (borderAfter) words.remove_suffix(1);
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if (borderBefore && at > 0 && isWordByte(text[at - 1])) continue;
    if (borderAfter && end < text.size() && isWordByte(text[end])) continue;
    return true;
  }
  return false;
}

struct Text {
  std::string where;
  std::string text;
};

// The texts between quotes of a source, those that follow each other as one; comments and includes are passed
// over.
std::vector<Text> literalsOf(const test::SourceFile& file) {
  std::vector<Text> all;
  const std::string& text = file.text;
  bool follows = false; // nothing but space since the last literal
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
    } else if (c == '/' && text.compare(at, 2, "//") == 0) {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '\'' && (at == 0 || !isWordByte(text[at - 1]))) {
      at += text[at + 1] == '\\' ? 3 : 2;
    } else if (c == '"') {
      std::string found;
      if (at > 0 && text[at - 1] == 'R') {
        const std::size_t begin = text.find('(', at) + 1;
        const std::string close = ")" + text.substr(at + 1, begin - at - 2) + "\"";
        const std::size_t end = std::min(text.find(close, begin), text.size());
        found = text.substr(begin, end - begin);
        at = end + close.size() - 1;
      } else {
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          if (text[at] == '\\') ++at;
          found += text[at];
        }
      }
      if (follows)
        all.back().text += found;
      else
        all.push_back({file.path + ":" + std::to_string(line), found});
      line += static_cast<std::size_t>(std::ranges::count(found, '\n'));
      follows = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      follows = false;
    }
  }
  return all;
}

// A name in a file or of an object, not a text: one word that begins with a small letter.
bool isName(const std::string& text) {
  return !text.empty() && std::islower(static_cast<unsigned char>(text.front())) != 0 &&
         std::ranges::all_of(text, isWordByte);
}

std::vector<Text> textsOfThePrograms() {
  std::vector<Text> all;
  for (const test::SourceFile& file : test::sourceFilesUnder(kRoot, {"core", "ui", "app"}))
    if (test::isCode(file))
      for (Text& text : literalsOf(file))
        if (!isName(text.text)) all.push_back(std::move(text));
  return all;
}

std::vector<Text> textsOnPaper() {
  std::vector<Text> all;
  const auto add = [&](const fs::path& path) {
    std::string text = textOf(path);
    std::ranges::replace(text, '\n', ' '); // lines are wrapped
    all.push_back({path.lexically_relative(kRoot).string(), std::move(text)});
  };
  for (const char* folder : {"resources/help", "resources/man", "resources/completions"})
    for (const auto& entry : fs::directory_iterator(kRoot / folder))
      if (entry.is_regular_file() && entry.path().extension() != ".sh") add(entry.path());
  for (const char* name :
       {"README.md", "CONTRIBUTING.md", "packaging/README.md", "core/README.md", "ui/README.md"})
    add(kRoot / name);
  return all;
}

void expectNoneOf(const std::vector<Text>& texts) {
  for (const Text& text : texts) {
    const std::string low = lowered(text.text);
    for (const Replaced& word : kReplaced)
      EXPECT_FALSE(holds(low, word.words))
          << text.where << " has “" << word.words << "”; write “" << word.instead << "”";
  }
}

struct Term {
  std::string name;
  std::string definition;
  std::string where;
};

std::vector<std::string> cellsOf(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream parts(row.substr(1));
  for (std::string cell; std::getline(parts, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos ? std::string()
                                               : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return cells;
}

std::vector<Term> glossary() {
  std::vector<Term> terms;
  for (const std::string& line : test::linesOf(textOf(kRoot / "resources/help/glossary.md"))) {
    if (!line.starts_with("| ") || line.starts_with("| term |")) continue;
    const std::vector<std::string> cells = cellsOf(line);
    if (cells.size() == 4) terms.push_back({cells[0], cells[2], cells[3]});
  }
  return terms;
}

// "bus bandwidth (busbw)" and "memcpy, memset" are two names each.
std::vector<std::string> namesOf(const std::string& term) {
  std::vector<std::string> names(1);
  for (const char c : lowered(term)) {
    if (c == '(' || c == ',')
      names.emplace_back();
    else if (c != ')' && !(c == ' ' && names.back().empty()))
      names.back() += c;
  }
  for (std::string& name : names) name.erase(name.find_last_not_of(' ') + 1);
  return names;
}

} // namespace

TEST(Words, noneThatWasReplacedIsInTheGuideOrTheManual) {
  expectNoneOf(textsOnPaper());
}

TEST(Words, noneThatWasReplacedIsInTheProgram) {
  expectNoneOf(textsOfThePrograms());
}

TEST(Words, theGlossarySaysWhatEachTermMeansAndWhereItIs) {
  const std::vector<Term> terms = glossary();
  ASSERT_GT(terms.size(), 40U);
  for (const Term& term : terms) {
    EXPECT_GT(term.definition.size(), 12U) << term.name;
    EXPECT_FALSE(term.where.empty()) << term.name;
    for (const Replaced& word : kReplaced) EXPECT_FALSE(holds(lowered(term.name), word.words)) << term.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(terms, {}, [](const Term& term) { return lowered(term.name); }));
}

TEST(Words, everyTermOfTheGlossaryIsUsedByTheProgram) {
  std::string shown;
  for (const Text& text : textsOfThePrograms()) shown += lowered(text.text) + "\n";
  for (const Term& term : glossary())
    for (const std::string& name : namesOf(term.name))
      EXPECT_NE(shown.find(name), std::string::npos) << "nothing in core, ui and app says “" << name << "”";
}

} // namespace rankscope
