// SPDX-License-Identifier: GPL-3.0-or-later
// One file, because all formulas read their arguments by the same few helpers.
#include "core/analysis/efficiency/flop_formula.h"

#include "core/analysis/efficiency/exact_product.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

namespace rankscope {

namespace {

constexpr std::string_view kNoShapes = "its shapes were not recorded";
constexpr std::string_view kOddShapes = "its shapes are not those of its operation";
constexpr std::string_view kNoArguments = "stride and padding were not recorded";
constexpr std::string_view kNoLengths = "lengths of sequences are tensors, which are not recorded";
constexpr std::string_view kTooLarge = "its shapes are too large";
constexpr std::string_view kNoModel = "its work is not known from its arguments";

FlopWork unknown(std::string_view why) {
  FlopWork work;
  work.why = why;
  return work;
}

bool isComplex(std::string_view type) {
  return type.find("complex") != std::string_view::npos;
}

// The arguments of a call by their places, and what is asked of them.
class Call {
 public:
  explicit Call(const OperatorInputs& inputs) : m_inputs(inputs) {}

  [[nodiscard]] const TensorShape& shape(std::size_t i) const {
    static const TensorShape kNone;
    return i < m_inputs.shapes.size() ? m_inputs.shapes[i] : kNone;
  }
  [[nodiscard]] std::string_view type(std::size_t i) const {
    return i < m_inputs.types.size() ? std::string_view(m_inputs.types[i]) : std::string_view();
  }
  [[nodiscard]] std::string_view value(std::size_t i) const {
    return i < m_inputs.values.size() ? std::string_view(m_inputs.values[i]) : std::string_view();
  }
  [[nodiscard]] bool isTrue(std::size_t i) const { return value(i) == "True" || value(i) == "1"; }
  [[nodiscard]] std::optional<std::vector<std::int64_t>> list(std::size_t i) const {
    if (value(i).empty()) return std::nullopt;
    return integersInText(value(i));
  }
  [[nodiscard]] ExactProduct elements(std::size_t i) const { return productOf(shape(i)); }
  // -1 makes the sum of bytes unknown.
  [[nodiscard]] ExactProduct size(std::size_t i) const { return {bytesOf(type(i))}; }
  [[nodiscard]] ExactProduct bytes(std::size_t i) const { return elements(i) * size(i); }
  [[nodiscard]] bool given(std::size_t i) const { return !shape(i).empty(); }

  static std::int64_t bytesOf(std::string_view type) {
    const int bytes = bytesOfType(type);
    return bytes > 0 ? bytes : -1;
  }

 private:
  const OperatorInputs& m_inputs;
};

// Of complex numbers a product is four products and two sums, a sum two.
FlopWork counted(const Call& call, FlopKind kind, std::size_t first, ExactProduct flops,
                 ExactProduct executed, ExactProduct bytes) {
  FlopWork work;
  work.kind = kind;
  work.format = numberFormatOfType(call.type(first));
  const ExactProduct factor(isComplex(call.type(first)) ? 4 : 1);
  const auto all = (flops * factor).value();
  const auto done = (executed * factor).value();
  if (!all || !done) return unknown(kTooLarge);
  work.flops = *all;
  work.executed = *done;
  work.bytes = bytes.value().value_or(-1);
  work.tier = FlopTier::Shapes;
  return work;
}

struct ProductShape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  std::int64_t batch = 1;

  [[nodiscard]] ExactProduct flops() const { return ExactProduct(2) * batch * m * n * k; }
};

FlopWork productWork(const Call& call, std::size_t first, const ProductShape& of, ExactProduct bytes) {
  FlopWork work = counted(call, FlopKind::Product, first, of.flops(), of.flops(), bytes);
  if (!work.known()) return work;
  work.m = of.m;
  work.n = of.n;
  work.k = of.k;
  work.batch = of.batch;
  return work;
}

ExactProduct productBytes(const Call& call, const ProductShape& of, std::size_t first,
                          std::int64_t resultSize) {
  return call.bytes(first) + call.bytes(first + 1) + ExactProduct(of.batch) * of.m * of.n * resultSize;
}

FlopWork mm(const Call& call, std::size_t first) {
  const TensorShape& a = call.shape(first);
  const TensorShape& b = call.shape(first + 1);
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return unknown(kOddShapes);
  const ProductShape of{a[0], b[1], a[1]};
  ExactProduct bytes = productBytes(call, of, first, Call::bytesOf(call.type(first)));
  if (first > 0) bytes += call.bytes(0);
  return productWork(call, first, of, bytes);
}

FlopWork bmm(const Call& call, std::size_t first) {
  const TensorShape& a = call.shape(first);
  const TensorShape& b = call.shape(first + 1);
  if (a.size() != 3 || b.size() != 3 || a[2] != b[1] || a[0] != b[0]) return unknown(kOddShapes);
  const ProductShape of{a[1], b[2], a[2], a[0]};
  ExactProduct bytes = productBytes(call, of, first, Call::bytesOf(call.type(first)));
  if (first > 0) bytes += call.bytes(0);
  return productWork(call, first, of, bytes);
}

// c10::ScalarType as a number.
std::int64_t bytesOfScalarType(std::string_view number) {
  if (number == "6") return 4;
  if (number == "5" || number == "15") return 2;
  if (number == "23" || number == "24" || number == "25" || number == "26") return 1;
  return 2;
}

FlopWork scaledMm(const Call& call) {
  const TensorShape& a = call.shape(0);
  const TensorShape& b = call.shape(1);
  if (a.size() != 2 || b.size() != 2 || a[1] != b[0]) return unknown(kOddShapes);
  // Two values of four bits share a byte.
  const bool packed = call.type(0).find("Float4") != std::string_view::npos;
  const std::int64_t k = packed && a[1] < (std::int64_t{1} << 40) ? 2 * a[1] : a[1];
  const bool integers = call.type(0) == "signed char";
  const std::int64_t result = integers ? 4 : bytesOfScalarType(call.value(6));
  const ProductShape of{a[0], b[1], k};
  const ExactProduct operands = packed ? call.elements(0) + call.elements(1) : call.bytes(0) + call.bytes(1);
  FlopWork work = productWork(call, 0, of, operands + ExactProduct(of.m) * of.n * result);
  if (work.known() && packed) work.format = NumberFormat::Float4;
  return work;
}

FlopWork linear(const Call& call) {
  const TensorShape& x = call.shape(0);
  const TensorShape& w = call.shape(1);
  if (x.empty() || w.size() != 2 || x.back() != w[1]) return unknown(kOddShapes);
  const auto rows = productOf(std::span(x).first(x.size() - 1)).value();
  if (!rows) return unknown(kTooLarge);
  const ProductShape of{*rows, w[0], w[1]};
  return productWork(call, 0, of,
                     productBytes(call, of, 0, Call::bytesOf(call.type(0))) +
                         (call.given(2) ? call.bytes(2) : ExactProduct(0)));
}

FlopWork matmul(const Call& call) {
  TensorShape a = call.shape(0);
  TensorShape b = call.shape(1);
  if (a.empty() || b.empty()) return unknown(kOddShapes);
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  ProductShape of{a[a.size() - 2], b.back(), a.back()};
  if (of.k != b[b.size() - 2]) return unknown(kOddShapes);
  std::reverse(a.begin(), a.end());
  std::reverse(b.begin(), b.end());
  ExactProduct batch(1);
  for (std::size_t i = 2; i < std::max(a.size(), b.size()); ++i) {
    const std::int64_t ofA = i < a.size() ? a[i] : 1;
    const std::int64_t ofB = i < b.size() ? b[i] : 1;
    if (ofA != ofB && ofA != 1 && ofB != 1) return unknown(kOddShapes);
    batch *= ofA == 1 ? ofB : ofA;
  }
  if (!batch.value()) return unknown(kTooLarge);
  of.batch = *batch.value();
  return productWork(call, 0, of, productBytes(call, of, 0, Call::bytesOf(call.type(0))));
}

FlopWork packedMm(const Call& call) {
  const TensorShape& a = call.shape(0);
  const TensorShape& b = call.shape(1);
  if (a.size() != 2 || (b.size() != 2 && b.size() != 4)) return unknown(kOddShapes);
  const ProductShape of{a[0], b.size() == 4 ? b[0] * 8 : b[0], a[1]};
  const std::int64_t size = Call::bytesOf(call.type(0));
  return productWork(call, 0, of, call.bytes(0) + call.bytes(1) + ExactProduct(of.m) * of.n * size);
}

// The rows of all groups together; the weights are (G,k,n) or (G,n,k), or the pair of a weight gradient.
FlopWork groupedMm(const Call& call) {
  const TensorShape& a = call.shape(0);
  const TensorShape& b = call.shape(1);
  if (a.size() != 2 || (b.size() != 2 && b.size() != 3)) return unknown(kOddShapes);
  const std::int64_t result = bytesOfType(call.type(0)) == 1 ? 2 : Call::bytesOf(call.type(0));
  if (b.size() == 2) {
    if (a[1] != b[0]) return unknown(kOddShapes);
    const ProductShape of{a[0], b[1], a[1]};
    return productWork(call, 0, of, productBytes(call, of, 0, result));
  }
  if (a[1] != b[1] && a[1] != b[2]) return unknown(kOddShapes);
  const ProductShape of{a[0], a[1] == b[1] ? b[2] : b[1], a[1]};
  return productWork(call, 0, of, productBytes(call, of, 0, result));
}

FlopWork vectorWork(const Call& call, std::size_t first) {
  const TensorShape& a = call.shape(first);
  const TensorShape& b = call.shape(first + 1);
  if (a.empty() || b.size() != 1 || a.back() != b[0]) return unknown(kOddShapes);
  const ExactProduct flops = ExactProduct(2) * call.elements(first);
  const ExactProduct result = ExactProduct(a.size() == 2 ? a[0] : 1) * call.size(first);
  return counted(call, FlopKind::Vector, first, flops, flops,
                 call.bytes(first) + call.bytes(first + 1) + result +
                     (first > 0 ? call.bytes(0) : ExactProduct(0)));
}

// Places of a convolution's lists.
struct ConvPlaces {
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
  std::optional<std::size_t> transposed;
  std::optional<std::size_t> outputPadding;
  bool isTransposed = false;
  std::optional<std::size_t> groups;
};

ConvPlaces placesOf(ConvLists lists) {
  switch (lists) {
  case ConvLists::Plain:
    return {3, 4, 5, {}, {}, false, 6};
  case ConvLists::Transposed:
    return {3, 4, 7, {}, 5, true, 6};
  case ConvLists::PaddingFirst:
    return {3, 2, 4, {}, {}, false, 5};
  case ConvLists::PaddingAfterBias:
    return {4, 3, 5, {}, {}, false, 6};
  case ConvLists::Aten:
    break;
  }
  return {3, 4, 5, 6, 7, false, 8};
}

// A list of one element is that of all axes.
std::int64_t ofAxis(const std::vector<std::int64_t>& list, std::size_t axis) {
  return list.size() == 1 ? list[0] : list[axis];
}

// Extents of the result behind batch and channels; nothing when the arguments do not fit.
std::optional<std::vector<std::int64_t>> resultExtents(const Call& call, const ConvPlaces& places,
                                                       bool transposed) {
  const TensorShape& x = call.shape(0);
  const TensorShape& w = call.shape(1);
  const auto stride = call.list(places.stride);
  const auto padding = call.list(places.padding);
  const auto dilation = call.list(places.dilation);
  auto outputPadding = places.outputPadding ? call.list(*places.outputPadding) : std::nullopt;
  if (!outputPadding) outputPadding = std::vector<std::int64_t>{0};
  const std::size_t axes = x.size() - 2;
  using List = std::optional<std::vector<std::int64_t>>;
  for (const List* list : std::initializer_list<const List*>{&stride, &padding, &dilation, &outputPadding}) {
    if (!list->has_value() || ((*list)->size() != 1 && (*list)->size() != axes)) return std::nullopt;
    // Extents are below 2^40 and lists below 2^20: nothing here overflows.
    for (const std::int64_t value : **list) {
      if (value < 0 || value > (std::int64_t{1} << 20)) return std::nullopt;
    }
  }
  std::vector<std::int64_t> extents(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t in = x[i + 2];
    const std::int64_t reach = ofAxis(*dilation, i) * (w[i + 2] - 1);
    if (in > (std::int64_t{1} << 40) || w[i + 2] > (std::int64_t{1} << 20)) return std::nullopt;
    const std::int64_t step = ofAxis(*stride, i);
    if (step == 0) return std::nullopt;
    const std::int64_t padded = 2 * ofAxis(*padding, i);
    extents[i] = transposed ? (in - 1) * step - padded + reach + ofAxis(*outputPadding, i) + 1
                            : (in + padded - reach - 1) / step + 1;
    if (extents[i] < 0 || (!transposed && in + padded - reach - 1 < 0)) return std::nullopt;
  }
  return extents;
}

FlopWork convolution(const Call& call, ConvLists lists, const FlopLinks& links) {
  const TensorShape& x = call.shape(0);
  const TensorShape& w = call.shape(1);
  if (x.size() < 3 || x.size() != w.size()) return unknown(kOddShapes);
  const ConvPlaces places = placesOf(lists);
  bool transposed = places.isTransposed || (places.transposed && call.isTrue(*places.transposed));
  std::optional<std::vector<std::int64_t>> result = resultExtents(call, places, transposed);
  std::int64_t channels = w[0];
  FlopTier tier = FlopTier::Shapes;
  if (!result) {
    if (!call.value(places.stride).empty()) return unknown(kOddShapes);
    if (links.result == nullptr || links.result->size() != x.size()) return unknown(kNoArguments);
    transposed = (*links.result)[1] != w[0];
    channels = (*links.result)[1];
    result.emplace(links.result->begin() + 2, links.result->end());
    tier = FlopTier::Linked;
  } else if (transposed) {
    const auto groups = places.groups ? call.list(*places.groups) : std::nullopt;
    const ExactProduct all = ExactProduct(w[1]) * (groups && groups->size() == 1 ? groups->front() : 1);
    if (!all.value()) return unknown(kTooLarge);
    channels = *all.value();
  }
  const ExactProduct places2 =
      transposed ? productOf(std::span(x).subspan(2)) : productOf(std::span<const std::int64_t>(*result));
  const ExactProduct flops = ExactProduct(2) * x[0] * places2 * call.elements(1);
  const ExactProduct output =
      ExactProduct(x[0]) * channels * productOf(std::span<const std::int64_t>(*result)) * call.size(0);
  const bool hasBias = lists != ConvLists::PaddingFirst && call.given(2);
  FlopWork work =
      counted(call, FlopKind::Convolution, 0, flops, flops,
              call.bytes(0) + call.bytes(1) + output + (hasBias ? call.bytes(2) : ExactProduct(0)));
  if (work.known()) work.tier = tier;
  return work;
}

// Of gradient g, input x and weight w: one part for each of the two gradients that are asked for.
FlopWork convolutionParts(const Call& call, const TensorShape& g, const TensorShape& x, const TensorShape& w,
                          bool transposed, std::int64_t parts, std::size_t first) {
  if (g.size() < 3 || x.size() != g.size() || w.size() != g.size()) return unknown(kOddShapes);
  const TensorShape& walked = transposed ? x : g;
  const ExactProduct flops =
      ExactProduct(parts) * 2 * x[0] * productOf(std::span(walked).subspan(2)) * productOf(w);
  const ExactProduct bytes =
      ExactProduct(parts) * (productOf(g) + productOf(w) + productOf(x)) * call.size(first);
  return counted(call, FlopKind::ConvolutionBackward, first, flops, flops, bytes);
}

FlopWork convolutionBackward(const Call& call) {
  std::int64_t parts = 2;
  const std::string_view mask = call.value(10);
  if (!mask.empty()) {
    // "[True, False, True]": input, weight, bias.
    const std::size_t comma = mask.find(',');
    const bool input = mask.substr(0, comma).find("True") != std::string_view::npos;
    const std::string_view rest =
        comma == std::string_view::npos ? std::string_view() : mask.substr(comma + 1);
    const bool weight = rest.substr(0, rest.find(',')).find("True") != std::string_view::npos;
    parts = (input ? 1 : 0) + (weight ? 1 : 0);
  }
  return convolutionParts(call, call.shape(0), call.shape(1), call.shape(2), call.isTrue(7), parts, 1);
}

FlopWork convolutionPart(const FlopLinks& links) {
  if (links.parent == nullptr || !links.parent->shapesKnown) return unknown(kNoShapes);
  const Call parent(*links.parent);
  return convolutionParts(parent, parent.shape(1), parent.shape(0), parent.shape(2), false, 1, 0);
}

struct AttentionSizes {
  std::int64_t batch;
  std::int64_t heads;
  std::int64_t queries;
  std::int64_t keys;
  std::int64_t width; // of queries and keys
  std::int64_t valueWidth;
};

FlopWork attentionWork(const Call& call, const FlopRule& rule) {
  const std::size_t first = rule.first;
  const TensorShape& q = call.shape(first);
  const TensorShape& k = call.shape(first + 1);
  const TensorShape& v = call.shape(first + 2);
  if (q.size() == 3) return unknown(kNoLengths);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || q[0] != k[0] || q[3] != k[3])
    return unknown(kOddShapes);
  const std::size_t heads = rule.headsLast ? 2 : 1;
  const std::size_t length = rule.headsLast ? 1 : 2;
  const AttentionSizes of{q[0], q[heads], q[length], k[length], q[3], v[3]};
  if (of.queries > (std::int64_t{1} << 31) || of.keys > (std::int64_t{1} << 31)) return unknown(kTooLarge);
  const std::string_view causal = rule.causal >= 0 ? call.value(static_cast<std::size_t>(rule.causal)) : "";
  const bool masked = rule.maskType ? causal == "1" || causal == "2" : causal == "True" || causal == "1";
  const bool atEnd = rule.maskType ? causal == "2" : rule.alignedAtEnd;
  const std::int64_t pairs = masked ? causalPairs(of.queries, of.keys, atEnd) : of.queries * of.keys;
  const bool backward = rule.formula == FlopFormula::AttentionBackward;
  const ExactProduct width = backward ? ExactProduct(3) * of.width + ExactProduct(2) * of.valueWidth
                                      : ExactProduct(of.width) + of.valueWidth;
  const ExactProduct each = ExactProduct(2) * of.batch * of.heads * width;
  const ExactProduct operands = call.bytes(first) + call.bytes(first + 1) + call.bytes(first + 2);
  const ExactProduct output =
      ExactProduct(of.batch) * of.heads * of.queries * of.valueWidth * call.size(first);
  return counted(call, backward ? FlopKind::AttentionBackward : FlopKind::Attention, first,
                 each * (of.queries * of.keys), each * pairs,
                 backward ? ExactProduct(2) * operands + ExactProduct(2) * output : operands + output);
}

// Of an engine that has the queries of all sequences in one tensor (T, heads, d), with keys (T, heads of
// keys, d). Sums over the sequences are in the label of the iteration: causal inside of what is new, full
// over the past.
FlopWork servingAttention(const Call& call, const IterationLabel* label) {
  const TensorShape& q = call.shape(0);
  const TensorShape& k = call.shape(1);
  const TensorShape& v = call.shape(2);
  if (q.size() != 3 || k.size() != 3 || v.size() != 3 || q[2] != k[2]) return unknown(kOddShapes);
  if (label == nullptr) return unknown(kNoLengths);
  const auto isWhole = [](const PhaseCounts& of) {
    return of.requests == 0 || (of.pairs >= 0 && of.context >= 0 && of.tokens >= 0);
  };
  if (!isWhole(label->prefill) || !isWhole(label->decode) || label->requests() <= 0 ||
      (label->prefill.requests > 0 && label->prefill.squares < 0))
    return unknown(kNoLengths);
  const auto of = [](std::int64_t sum) { return ExactProduct(std::max<std::int64_t>(sum, 0)); };
  const std::int64_t squares = label->prefill.requests > 0 ? label->prefill.squares : 0;
  const auto both = (of(label->prefill.pairs) + of(label->decode.pairs)).value();
  if (!both || *both > (std::int64_t{1} << 61)) return unknown(kTooLarge);
  const ExactProduct doubledPairs(std::max<std::int64_t>(0, 2 * *both - squares));
  const ExactProduct width = ExactProduct(q[2]) + v[2];
  const ExactProduct flops = doubledPairs * q[1] * width;
  const ExactProduct tokens = of(label->prefill.tokens) + of(label->decode.tokens);
  const ExactProduct context = of(label->prefill.context) + of(label->decode.context);
  FlopWork work = counted(call, FlopKind::Attention, 0, flops, flops,
                          (context * k[1] * call.size(1) + tokens * q[1] * call.size(0)) * width);
  if (work.known()) work.tier = FlopTier::Annotation;
  return work;
}

// cuDNN's: x (s, B, i), then its mode and, behind it, hidden size, projection, layers, ..., bidirectional.
FlopWork recurrent(const Call& call, std::size_t mode) {
  const TensorShape& x = call.shape(0);
  const auto number = [&](std::size_t i) {
    const auto list = call.list(i);
    return list && list->size() == 1 && list->front() >= 0 && list->front() < (1 << 30) ? list->front() : -1;
  };
  const std::int64_t hidden = number(mode + 1);
  const std::int64_t layers = number(mode + 3);
  if (x.size() != 3 || hidden <= 0 || layers <= 0 || layers > 1'000 || number(mode) < 0)
    return unknown(call.value(mode).empty() ? kNoArguments : kOddShapes);
  const std::int64_t gates = number(mode) == 2 ? 4 : number(mode) == 3 ? 3 : 1;
  const std::int64_t directions = call.isTrue(mode + 7) ? 2 : 1;
  ExactProduct flops(0);
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const std::int64_t in = layer == 0 ? x[2] : hidden * directions;
    flops += ExactProduct(2) * x[0] * x[1] * gates * hidden * (ExactProduct(in) + hidden) * directions;
  }
  if (mode == 10) flops *= 2; // backward: of input and weights
  return counted(call, FlopKind::Recurrent, 0, flops, flops, ExactProduct(-1));
}

FlopWork engineGemm(const Call& call) {
  const TensorShape& a = call.shape(0);
  const TensorShape& b = call.shape(5);
  if (a.size() != 2 || b.size() != 2) return unknown(kOddShapes);
  const bool transposeA = call.isTrue(4);
  const bool transposeB = call.isTrue(9);
  const ProductShape of{transposeA ? a[0] : a[1], transposeB ? b[1] : b[0], transposeA ? a[1] : a[0]};
  return productWork(call, 0, of, call.bytes(0) + call.bytes(5) + ExactProduct(of.m) * of.n * call.size(10));
}

// The weight is the matrix whose rows are as wide as the input.
FlopWork engineLinear(const Call& call, std::size_t arguments) {
  std::optional<std::size_t> x;
  std::optional<std::size_t> w;
  for (std::size_t i = 0; i < arguments && !w; ++i) {
    const TensorShape& shape = call.shape(i);
    if (shape.size() < 2) continue;
    if (!x) {
      x = i;
    } else if (shape.back() == call.shape(*x).back()) {
      // TransformerEngine's Linear has its weight first.
      w = call.shape(*x).size() == 2 && *x == 0 ? std::exchange(x, i) : std::optional(i);
    }
  }
  if (!w || call.shape(*w).size() != 2) return unknown(kOddShapes);
  const TensorShape& in = call.shape(*x);
  const auto rows = productOf(std::span(in).first(in.size() - 1)).value();
  if (!rows) return unknown(kTooLarge);
  const ProductShape of{*rows, call.shape(*w)[0], in.back()};
  return productWork(call, *x, of,
                     call.bytes(*x) + call.bytes(*w) + ExactProduct(of.m) * of.n * call.size(*x));
}

// A template's operands are matrices of which two share a side with the result, which comes last.
FlopWork tritonTemplate(const Call& call, std::size_t arguments) {
  std::vector<std::size_t> matrices;
  for (std::size_t i = 0; i < arguments; ++i) {
    if (call.shape(i).size() == 2) matrices.push_back(i);
  }
  if (matrices.size() < 3) return unknown(kNoModel);
  const TensorShape& result = call.shape(matrices.back());
  for (std::size_t i = 0; i + 2 < matrices.size(); ++i) {
    const TensorShape& a = call.shape(matrices[i]);
    const TensorShape& b = call.shape(matrices[i + 1]);
    const bool fits =
        a[0] == result[0] && ((b[0] == a[1] && b[1] == result[1]) || (b[1] == a[1] && b[0] == result[1]));
    if (!fits) continue;
    const ProductShape of{result[0], result[1], a[1]};
    return productWork(call, matrices[i], of,
                       call.bytes(matrices[i]) + call.bytes(matrices[i + 1]) + call.bytes(matrices.back()));
  }
  return unknown(kNoModel);
}

FlopWork triton(std::string_view name, const OperatorInputs& inputs) {
  const Call call(inputs);
  if (inputs.flops > 0) {
    FlopWork work;
    work.tier = FlopTier::Recorded;
    work.flops = work.executed = inputs.flops;
    if (inputs.gigabytes) work.bytes = static_cast<std::int64_t>(*inputs.gigabytes * 1e9);
    for (const std::string& type : inputs.types) {
      if (work.format == NumberFormat::Unknown) work.format = numberFormatOfType(type);
    }
    return work;
  }
  if (name.starts_with("triton_tem_")) return tritonTemplate(call, inputs.shapes.size());
  return unknown({});
}

FlopWork withRule(std::string_view name, const FlopRule& rule, const OperatorInputs& inputs,
                  const FlopLinks& links) {
  const Call call(inputs);
  switch (rule.formula) {
  case FlopFormula::Mm:
    return mm(call, rule.first);
  case FlopFormula::Bmm:
    return bmm(call, rule.first);
  case FlopFormula::ScaledMm:
    return scaledMm(call);
  case FlopFormula::Linear:
    return linear(call);
  case FlopFormula::Matmul:
    return matmul(call);
  case FlopFormula::PackedMm:
    return packedMm(call);
  case FlopFormula::GroupedMm:
    return groupedMm(call);
  case FlopFormula::Vector:
    return vectorWork(call, rule.first);
  case FlopFormula::Convolution:
    return convolution(call, rule.lists, links);
  case FlopFormula::ConvBackward:
    return convolutionBackward(call);
  case FlopFormula::ConvInput:
  case FlopFormula::ConvWeight:
    return convolutionPart(links);
  case FlopFormula::Attention:
  case FlopFormula::AttentionBackward:
    return attentionWork(call, rule);
  case FlopFormula::ServingAttention:
    return servingAttention(call, links.label);
  case FlopFormula::Recurrent:
    return recurrent(call, rule.first);
  case FlopFormula::EngineGemm:
    return engineGemm(call);
  case FlopFormula::EngineLinear:
    return engineLinear(call, inputs.shapes.size());
  case FlopFormula::Triton:
    return triton(name, inputs);
  }
  return unknown(kNoModel);
}

} // namespace

std::string_view flopKindText(FlopKind kind) {
  static constexpr std::array<std::string_view, 7> kTexts{
      "GEMM", "GEMV", "convolution", "convolution backward", "attention", "attention backward", "RNN"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string_view flopTierText(FlopTier tier) {
  static constexpr std::array<std::string_view, 6> kTexts{"recorded",   "shapes",  "linked",
                                                          "annotation", "capture", ""};
  return kTexts[static_cast<std::size_t>(tier)];
}

FlopWork flopsOf(std::string_view name, const OperatorInputs& inputs, const FlopLinks& links) {
  const FlopRule* const rule = flopRuleOf(name);
  if (rule == nullptr) return unknown(kNoModel);
  if (!inputs.shapesKnown && rule->formula != FlopFormula::Triton) return unknown(kNoShapes);
  return withRule(name, *rule, inputs, links);
}

std::int64_t causalPairs(std::int64_t queries, std::int64_t keys, bool alignedAtEnd) {
  const std::int64_t triangle = std::min(queries, keys) * (std::min(queries, keys) + 1) / 2;
  if (queries <= keys) return alignedAtEnd ? triangle + queries * (keys - queries) : triangle;
  return alignedAtEnd ? triangle : triangle + (queries - keys) * keys;
}

} // namespace rankscope
