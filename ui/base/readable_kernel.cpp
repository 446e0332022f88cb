// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/readable_kernel.h"

#include <QRegularExpression>
#include <QStringView>

#include "ui/base/short_name.h"

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

// Where the template argument ends that begins at `from`: at its comma or at the end of the list.
qsizetype endOfArgument(const QString& text, qsizetype from) {
  int depth = 0;
  for (qsizetype i = from; i < text.size(); ++i) {
    const QChar c = text[i];
    if (depth == 0 && (c == QLatin1Char(',') || c == QLatin1Char('>'))) return i;
    if (c == QLatin1Char('<') || c == QLatin1Char('(') || c == QLatin1Char('{')) ++depth;
    if (c == QLatin1Char('>') || c == QLatin1Char(')') || c == QLatin1Char('}')) --depth;
  }
  return -1;
}

// "sqrt_kernel_cuda(float)" of "sqrt_kernel_cuda::{lambda(float)#1}": the arguments of the lambda say for
// which type it is.
QString withoutLambda(const QString& function) {
  static const QRegularExpression lambda(
      QStringLiteral("(\\([^()]*\\))?::\\{lambda(\\([^()]*\\))#(\\d+)\\}$"));
  const QRegularExpressionMatch match = lambda.match(function);
  if (!match.hasMatch()) return function;
  const bool isFirst = match.captured(3) == QLatin1String("1");
  return function.left(match.capturedStart()) + match.captured(2) +
         (isFirst ? QString() : QLatin1Char('#') + match.captured(3));
}

// "cudnn::cnn::wgrad_alg0_engine<float>" without its namespaces.
QString withoutScope(const QString& text) {
  qsizetype end = 0;
  while (end < text.size() && (continuesWord(text[end]) || text[end] == QLatin1Char(':'))) ++end;
  const qsizetype scope = end > 0 ? text.lastIndexOf(QLatin1String("::"), end - 1) : -1;
  return scope < 0 || scope + 2 >= end ? text : text.mid(scope + 2);
}

// The argument that names what a generic kernel computes moves before its name; where it is within another
// one, its name alone is put there.
QString withFunctionFirst(const QString& text, const QString& function) {
  const qsizetype list = text.indexOf(QLatin1Char('<'));
  const QString separator = QStringLiteral(" · ");
  for (qsizetype from = list + 1; list >= 0 && from < text.size();) {
    const qsizetype end = endOfArgument(text, from);
    if (end < 0) break;
    const QString argument = withoutScope(text.mid(from, end - from).trimmed());
    const bool isLast = text[end] == QLatin1Char('>');
    if (argument.startsWith(function)) {
      const bool isFirst = from == list + 1;
      QString rest = text;
      if (isFirst && isLast)
        rest.remove(list, end + 1 - list);
      else if (isFirst)
        rest.remove(from, end + 2 - from); // with the comma and the space behind it
      else
        rest.remove(from - 1, end - from + 1); // with the comma before it
      return withoutLambda(argument) + separator + rest;
    }
    if (isLast) break;
    from = end + 1;
  }
  return function + separator + text;
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
  const QString brief = QString::fromStdString(shortName(EventKind::Kernel, name.toStdString()));
  const qsizetype function = brief.indexOf(QStringLiteral(" · "));
  return function < 0 ? withoutScope(text) : withFunctionFirst(withoutScope(text), brief.left(function));
}

} // namespace rankscope::ui
