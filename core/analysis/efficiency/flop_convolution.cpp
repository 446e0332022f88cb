// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/flop_convolution.h"

#include <initializer_list>
#include <span>

namespace rankscope::flops {

namespace {

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

} // namespace

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

} // namespace rankscope::flops
