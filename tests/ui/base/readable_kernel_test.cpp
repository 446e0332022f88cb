// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/ui_test.h"
#include "ui/base/readable_kernel.h"
#include "ui/base/theme.h"
#include "ui/tables/table_cells.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

class ReadableKernelTest : public QObject {
  Q_OBJECT

 private slots:
  void namesOfKernelsRetainTheirDifferences() {
    const auto readable = [](const char* name) { return readableKernel(QString::fromLatin1(name)); };
    QCOMPARE(readable("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
                      "at::detail::Array<char*, 1> >(int, at::native::FillFunctor<float>)"),
             QString("FillFunctor<float> · vectorized_elementwise_kernel<4, Array<char*, 1> >"));
    QCOMPARE(readable("void at::native::(anonymous "
                      "namespace)::softmax<at::native::elementwise_cuda::F>(float*) [clone .kd]"),
             QString("softmax<F>"));
    QCOMPARE(readable("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
             QString("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"));
    QCOMPARE(
        readable("void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda("
                 "at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#7}::operator()() "
                 "const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int)"),
        QString("sqrt_kernel_cuda(float) · vectorized_elementwise_kernel<4, Array<char*, 2> >"));
    // What is computed comes first, wherever it stands among the arguments.
    QCOMPARE(readable("void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<int>, "
                      "at::detail::Array<char*, 3> >(int)"),
             QString("CUDAFunctor_add<int> · unrolled_elementwise_kernel<Array<char*, 3> >"));
    QCOMPARE(readable("void at::native::vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, "
                      "at::native::binary_internal::MulFunctor<float> >, at::detail::Array<char*, 2> >(int)"),
             QString("MulFunctor · vectorized_elementwise_kernel<4, AUnaryFunctor<float, "
                     "binary_internal::MulFunctor<float> >, Array<char*, 2> >"));
    QCOMPARE(readable("void cudnn::cnn::wgrad_alg0_engine<float, 128, 6>(int)"),
             QString("wgrad_alg0_engine<float, 128, 6>"));
    for (const char* unchanged :
         {"Memcpy HtoD (Pageable -> Device)", "Memset (Device)", "sm90_xmma_gemm_bf16bf16", "at::", ""})
      QCOMPARE(readable(unchanged), QString::fromLatin1(unchanged));
  }

  // Some fonts have a multiplication sign for an x between digits.
  void namesAreDrawnWithTheLettersTheyHave() {
    const auto drawn = [](const QString& text) {
      QImage image(200, 60, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      painter.setFont(nameFont(40));
      painter.drawText(QPoint(5, 45), text);
      painter.end();
      return image;
    };
    QVERIFY(drawn(QStringLiteral("1x2")) != drawn(QStringLiteral("1×2")));
    QVERIFY(table_look::cellFont(false).styleStrategy() == nameFont(12).styleStrategy());
  }
};

RANKSCOPE_UI_TEST(ReadableKernelTest)
#include "readable_kernel_test.moc"
