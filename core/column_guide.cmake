# Writes OUTPUT, a source that defines columnGuide(): the text of PAGE, in pieces that every compiler takes.
file(READ ${PAGE} page)
string(LENGTH "${page}" length)
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${page}" ${at} 8000 piece)
  string(APPEND pieces "    R\"guide(${piece})guide\",\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUTPUT} "// SPDX-License-Identifier: GPL-3.0-or-later
#include \"core/report/column_texts.h\"

#include <array>

namespace {

constexpr std::array kPieces = {
${pieces}};

} // namespace

std::string rankscope::columnGuide() {
  std::string page;
  for (const char* const piece : kPieces) page += piece;
  return page;
}
")
