// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_buffer.h"

#include <cstdio>
#include <stdexcept>
#include <utility>
#include <zlib.h>

namespace rankscope::test {

OutputFile::OutputFile(const std::filesystem::path& path, bool gzip, int level) : m_gzip(gzip), m_path(path) {
  if (gzip) {
    const char mode[4] = {'w', 'b', static_cast<char>('0' + level), 0};
    gzFile file = gzopen(path.c_str(), mode);
    if (file) gzbuffer(file, 1U << 19);
    m_handle = file;
  } else {
    m_handle = std::fopen(path.c_str(), "wb");
    if (m_handle) std::setvbuf(static_cast<std::FILE*>(m_handle), nullptr, _IONBF, 0);
  }
  if (!m_handle) throw std::runtime_error("cannot write " + path.string());
}

OutputFile::~OutputFile() {
  if (!m_handle) return;
  if (m_gzip)
    gzclose(static_cast<gzFile>(m_handle));
  else
    std::fclose(static_cast<std::FILE*>(m_handle));
}

void OutputFile::write(std::string_view text) {
  if (text.empty()) return;
  const bool whole =
      m_gzip ? gzwrite(static_cast<gzFile>(m_handle), text.data(), static_cast<unsigned>(text.size())) > 0
             : std::fwrite(text.data(), 1, text.size(), static_cast<std::FILE*>(m_handle)) == text.size();
  if (!whole) throw std::runtime_error("cannot write " + m_path.string());
  m_bytes += static_cast<std::int64_t>(text.size());
}

void OutputFile::close() {
  void* handle = std::exchange(m_handle, nullptr);
  if (!handle) return;
  const bool closed = m_gzip ? gzclose(static_cast<gzFile>(handle)) == Z_OK
                             : std::fclose(static_cast<std::FILE*>(handle)) == 0;
  if (!closed) throw std::runtime_error("cannot finish " + m_path.string());
}

} // namespace rankscope::test
