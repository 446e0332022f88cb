// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/readable_kernel.h"

#include <QStringView>

#include <algorithm>
#include <array>

namespace rankscope::ui {

namespace {

bool continuesWord(QChar c) {
  return c.isLetterOrNumber() || c == QLatin1Char('_');
}

// Prefixes that are dropped wherever a word begins.
constexpr std::array<QLatin1String, 14> kNoise{QLatin1String("at::"),
                                               QLatin1String("native::"),
                                               QLatin1String("c10::"),
                                               QLatin1String("std::"),
                                               QLatin1String("detail::"),
                                               QLatin1String("cuda::"),
                                               QLatin1String("cub::"),
                                               QLatin1String("thrust::"),
                                               QLatin1String("(anonymous namespace)::"),
                                               QLatin1String("{anonymous}::"),
                                               QLatin1String("operator()() const::"),
                                               QLatin1String("operator ()() const::"),
                                               QLatin1String("(at::TensorIteratorBase&)"),
                                               QLatin1String("(at::TensorIterator&)")};

// Length of a device namespace: "cuda_cub::", "elementwise_cuda::"; 0 if there is none.
qsizetype deviceScope(QStringView text) {
  qsizetype end = 0;
  while (end < text.size() && continuesWord(text[end])) ++end;
  const bool isScope = text.mid(end).startsWith(QLatin1String("::"));
  const bool device = text.left(end).endsWith(QLatin1String("_cuda"));
  return isScope && device ? end + 2 : 0;
}

// Length of an enclosing lambda: "{lambda()#2}::", "[lambda() (instance 2)]::"; 0 if there is none. The
// inner lambda stays: its arguments give the element type.
qsizetype outerLambda(QStringView text) {
  if (!text.startsWith(QLatin1String("{lambda()#")) &&
      !text.startsWith(QLatin1String("[lambda() (instance ")))
    return 0;
  const qsizetype end = text.indexOf(QLatin1String("::"));
  const bool closes = end > 0 && (text[end - 1] == QLatin1Char('}') || text[end - 1] == QLatin1Char(']'));
  return closes ? end + 2 : 0;
}

qsizetype noiseAt(QStringView text) {
  for (const QLatin1String noise : kNoise)
    if (text.startsWith(noise)) return noise.size();
  if (const qsizetype lambda = outerLambda(text)) return lambda;
  return deviceScope(text);
}

// Drops the argument list at the end: "f<int>(float*, int) [clone .kd]". "Memcpy HtoD (Pageable -> Device)"
// ends in a note, not in arguments.
QStringView withoutArguments(QStringView text) {
  if (const auto clone = text.indexOf(QLatin1String(" [clone ")); clone > 0) text = text.left(clone);
  if (!text.endsWith(QLatin1Char(')'))) return text;
  int depth = 0;
  for (qsizetype i = text.size() - 1; i > 0; --i) {
    if (text[i] == QLatin1Char(')')) ++depth;
    if (text[i] == QLatin1Char('(') && --depth == 0) {
      const QChar before = text[i - 1];
      return before == QLatin1Char('>') || continuesWord(before) ? text.left(i) : text;
    }
  }
  return text;
}

} // namespace

QString readableKernel(const QString& name) {
  QStringView rest = withoutArguments(name);
  if (rest.startsWith(QLatin1String("void "))) rest = rest.mid(5);
  QString text;
  text.reserve(rest.size());
  bool inWord = false;
  while (!rest.isEmpty()) {
    const bool mayBegin = !inWord || rest.front() == QLatin1Char('(');
    const qsizetype noise = mayBegin ? noiseAt(rest) : 0;
    if (noise > 0 && noise < rest.size()) {
      rest = rest.mid(noise);
      continue;
    }
    text += rest.front();
    inWord = continuesWord(rest.front());
    rest = rest.mid(1);
  }
  return text;
}

} // namespace rankscope::ui
