// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/table_order.h"

#include "ui/base/workers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

// Maps doubles to integers with the same order.
std::uint64_t orderedBits(std::int64_t number) {
  return static_cast<std::uint64_t>(number) ^ kSignBit;
}

std::uint64_t orderedBits(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number); // -0 is 0
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isAscii(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; });
}

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::size_t kMaxKeyBytes = 4; // of one byte of text

// Sort key whose bytes compare like the text in natural order: a number starts with its count of digits, and
// '/' sorts before everything else. No byte is 0. Writes at most kMaxKeyBytes per byte; returns the end of
// the output.
char* writeNaturalKey(std::string_view text, char* key) {
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (!isDigit(c)) {
      *key++ = c == '/' || c == '\0' ? '\1' : lowered(c);
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && isDigit(text[end])) ++end;
    while (i < end && text[i] == '0') ++i;
    const std::size_t digits = std::min<std::size_t>(end - i, 0x3fff);
    *key++ = '0';
    *key++ = static_cast<char>(digits / 128 + 1);
    *key++ = static_cast<char>(digits % 128 + 1);
    key = std::copy(text.data() + i, text.data() + end, key);
    i = end;
  }
  return key;
}

void appendFolded(std::string_view text, std::string& folded) {
  if (!isAscii(text)) {
    const auto length = static_cast<qsizetype>(text.size());
    folded += QString::fromUtf8(text.data(), length).toCaseFolded().toUtf8().toStdString();
    return;
  }
  const std::size_t begin = folded.size();
  folded += text;
  for (char& c : std::span(folded).subspan(begin)) c = lowered(c);
}

// The next eight bytes of a key; beyond its end, zeros.
struct Piece {
  std::uint64_t word;
  std::uint32_t text;
};

class KeySorter {
 public:
  KeySorter(const std::string& keys, const std::vector<std::size_t>& ends)
      : m_keys(keys), m_ends(ends), m_ranks(ends.size()) {}

  std::vector<std::uint32_t> ranks() {
    std::vector<Piece> pieces(m_ends.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].text = static_cast<std::uint32_t>(i);
    sort(pieces, 0);
    return std::move(m_ranks);
  }

 private:
  // Names often share long prefixes, so eight bytes are compared at a time.
  void sort(std::span<Piece> pieces, std::size_t depth) {
    for (;; depth += sizeof(std::uint64_t)) {
      for (Piece& piece : pieces) piece.word = wordAt(piece.text, depth);
      const std::uint64_t word = pieces.empty() ? 0 : pieces.front().word;
      const bool alike = std::ranges::all_of(pieces, [&](const Piece& p) { return p.word == word; });
      if (!alike) break;
      if (hasEnded(word)) return giveRank(pieces);
    }
    std::ranges::sort(pieces, {}, &Piece::word);
    for (std::size_t begin = 0; begin < pieces.size();) {
      std::size_t end = begin + 1;
      while (end < pieces.size() && pieces[end].word == pieces[begin].word) ++end;
      const std::span<Piece> alike = pieces.subspan(begin, end - begin);
      if (alike.size() == 1 || hasEnded(alike.front().word))
        giveRank(alike);
      else
        sort(alike, depth + sizeof(std::uint64_t));
      begin = end;
    }
  }

  static bool hasEnded(std::uint64_t word) { return (word & 0xff) == 0; }

  void giveRank(std::span<const Piece> alike) {
    for (const Piece& piece : alike) m_ranks[piece.text] = m_next;
    ++m_next;
  }

  std::uint64_t wordAt(std::uint32_t text, std::size_t depth) const {
    const std::size_t begin = (text == 0 ? 0 : m_ends[text - 1]) + depth;
    if (begin >= m_ends[text]) return 0;
    const std::size_t length = std::min(m_ends[text] - begin, sizeof(std::uint64_t));
    const char* const bytes = m_keys.data() + begin;
    const auto byte = [bytes](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(bytes[i])}; };
    // Compilers turn this into one load.
    if (length == sizeof(std::uint64_t))
      return byte(0) << 56 | byte(1) << 48 | byte(2) << 40 | byte(3) << 32 | byte(4) << 24 | byte(5) << 16 |
             byte(6) << 8 | byte(7);
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < length; ++i) word = word << 8 | byte(i);
    return word << (8 * (sizeof(word) - length));
  }

  const std::string& m_keys;
  const std::vector<std::size_t>& m_ends;
  std::vector<std::uint32_t> m_ranks;
  std::uint32_t m_next = 0;
};

} // namespace

std::string foldedText(std::string_view text) {
  std::string folded;
  appendFolded(text, folded);
  return folded;
}

std::vector<std::uint32_t> naturalRanks(const std::vector<std::string_view>& texts) {
  std::string keys;
  std::vector<std::size_t> ends;
  ends.reserve(texts.size());
  std::size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size() + text.size() / 8;
  keys.reserve(bytes);
  std::vector<char> key;
  std::string folded;
  for (std::string_view text : texts) {
    if (!isAscii(text)) text = folded = foldedText(text);
    if (key.size() < kMaxKeyBytes * text.size()) key.resize(kMaxKeyBytes * text.size());
    keys.append(key.data(), writeNaturalKey(text, key.data()));
    ends.push_back(keys.size());
  }
  return KeySorter(keys, ends).ranks();
}

namespace {

constexpr std::size_t kManyTexts = 10'000; // these sort in some milliseconds

std::vector<std::uint32_t> ranksOfTexts(const ResultTable& table) {
  std::vector<std::string_view> texts;
  texts.reserve(table.textCount());
  for (std::size_t text = 0; text < table.textCount(); ++text) texts.push_back(table.text(text));
  return naturalRanks(texts);
}

} // namespace

// Sort order of a table, computed by the first caller.
class TableOrder::Ranking {
 public:
  explicit Ranking(std::shared_ptr<const ResultTable> table) : m_table(std::move(table)) {}

  // On a worker.
  void make() {
    if (m_begun.exchange(true)) return;
    const SetAtEnd end(m_done);
    m_ranks = ranksOfTexts(*m_table);
  }
  // On the UI thread: waits for a worker that is computing it, or computes it here.
  [[nodiscard]] std::vector<std::uint32_t> take() {
    if (m_begun.exchange(true)) m_done.wait(false);
    return m_ranks ? *std::exchange(m_ranks, std::nullopt) : ranksOfTexts(*m_table);
  }

 private:
  std::shared_ptr<const ResultTable> m_table;
  std::atomic<bool> m_begun{false};
  std::atomic<bool> m_done{false};
  std::optional<std::vector<std::uint32_t>> m_ranks;
};

void TableOrder::setTable(std::shared_ptr<const ResultTable> table) {
  m_table = std::move(table);
  m_folded.clear();
  m_foldedEnds.clear();
  m_textRanks.clear();
  m_ranksComing.reset();
  if (m_table && m_table->textCount() >= kManyTexts) {
    m_ranksComing = std::make_shared<Ranking>(m_table);
    // If this fails, the order is computed when it is needed.
    runOnWorker(
        nullptr, [ranking = m_ranksComing] { ranking->make(); }, [](const auto&) {});
  }
  m_column.reset();
  findWords();
  sortRows();
  showRows();
}

void TableOrder::sortBy(std::optional<std::size_t> column, bool descending) {
  m_column = column;
  m_descending = descending;
  sortRows();
  showRows();
}

void TableOrder::setWords(const QStringList& words) {
  m_words.clear();
  for (const QString& word : words) m_words.push_back(foldedText(word.toStdString()));
  findWords();
  showRows();
}

void TableOrder::setRank(std::optional<std::int64_t> rank) {
  m_rank = rank;
  showRows();
}

int TableOrder::placeOf(int row) const {
  return row >= 0 && static_cast<std::size_t>(row) < m_places.size() ? m_places[static_cast<std::size_t>(row)]
                                                                     : -1;
}

void TableOrder::sortRows() {
  const std::size_t rows = m_table ? m_table->rowCount() : 0;
  m_sorted.resize(rows);
  std::iota(m_sorted.begin(), m_sorted.end(), 0U);
  if (rows == 0 || !m_column || *m_column >= m_table->columns().size()) return;
  const std::size_t column = *m_column;
  const bool ofTexts = m_table->columns()[column].unit == Unit::Text;
  if (ofTexts) rankTexts();
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  keys.reserve(rows);
  std::vector<std::uint32_t> empty;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (m_table->isEmpty(row, column)) {
      empty.push_back(row);
      continue;
    }
    std::uint64_t key = 0;
    if (ofTexts) {
      key = m_textRanks[m_table->textNumber(row, column)];
    } else {
      const Cell cell = m_table->at(row, column);
      const auto* whole = std::get_if<std::int64_t>(&cell);
      key = whole ? orderedBits(*whole) : orderedBits(std::get<double>(cell));
    }
    keys.emplace_back(m_descending ? ~key : key, row);
  }
  std::ranges::sort(keys); // the row breaks ties
  std::ranges::transform(keys, m_sorted.begin(), [](const auto& key) { return key.second; });
  std::ranges::copy(empty, m_sorted.begin() + static_cast<std::ptrdiff_t>(keys.size()));
}

void TableOrder::showRows() {
  m_shown.clear();
  m_places.assign(m_sorted.size(), -1);
  m_rowsOfRank = 0;
  const auto rankColumn = m_table && m_rank ? m_table->columnNamed("rank") : std::nullopt;
  for (const std::uint32_t row : m_sorted) {
    if (m_rank && (!rankColumn || m_table->at(row, *rankColumn) != Cell(*m_rank))) continue;
    ++m_rowsOfRank;
    if (!m_holdsWords.empty() && !m_holdsWords[row]) continue;
    m_places[row] = static_cast<std::int32_t>(m_shown.size());
    m_shown.push_back(row);
  }
}

void TableOrder::foldTexts() {
  if (!m_foldedEnds.empty()) return;
  m_foldedEnds.reserve(m_table->textCount());
  std::size_t bytes = 0;
  for (std::size_t text = 0; text < m_table->textCount(); ++text) bytes += m_table->text(text).size();
  m_folded.reserve(bytes);
  for (std::size_t text = 0; text < m_table->textCount(); ++text) {
    appendFolded(m_table->text(text), m_folded);
    m_foldedEnds.push_back(m_folded.size());
  }
}

void TableOrder::rankTexts() {
  if (!m_textRanks.empty()) return;
  m_textRanks = m_ranksComing ? m_ranksComing->take() : ranksOfTexts(*m_table);
  m_ranksComing.reset();
}

std::vector<bool> TableOrder::textsWith(std::string_view word) const {
  std::vector<bool> found(m_foldedEnds.size());
  std::size_t begin = 0;
  for (std::size_t text = 0; text < m_foldedEnds.size(); ++text) {
    const auto whole = std::string_view(m_folded).substr(begin, m_foldedEnds[text] - begin);
    found[text] = whole.find(word) != std::string_view::npos;
    begin = m_foldedEnds[text];
  }
  return found;
}

void TableOrder::findWords() {
  m_holdsWords.clear();
  if (!m_table || m_words.empty()) return;
  foldTexts();
  std::vector<std::size_t> textColumns;
  for (std::size_t column = 0; column < m_table->columns().size(); ++column)
    if (m_table->columns()[column].unit == Unit::Text) textColumns.push_back(column);
  m_holdsWords.assign(m_table->rowCount(), true);
  for (const std::string& word : m_words) {
    const std::vector<bool> found = textsWith(word);
    for (std::size_t row = 0; row < m_holdsWords.size(); ++row) {
      if (!m_holdsWords[row]) continue;
      m_holdsWords[row] = std::ranges::any_of(textColumns, [&](std::size_t column) {
        return !m_table->isEmpty(row, column) && found[m_table->textNumber(row, column)];
      });
    }
  }
}

} // namespace rankscope::ui
