// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/elf_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#if __has_include(<elf.h>)
#include <elf.h>
#endif

namespace rankscope::test {

#if __has_include(<elf.h>)

namespace {

class Image {
 public:
  explicit Image(const std::filesystem::path& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    m_bytes = std::move(bytes).str();
  }

  // The value at an offset; zero beyond the end of the file.
  template <class T> [[nodiscard]] T at(std::uint64_t offset) const {
    T value{};
    if (offset <= m_bytes.size() && sizeof(T) <= m_bytes.size() - offset)
      std::memcpy(&value, m_bytes.data() + offset, sizeof(T));
    return value;
  }
  [[nodiscard]] std::string textAt(std::uint64_t offset) const {
    if (offset >= m_bytes.size()) return {};
    const std::string_view rest = std::string_view(m_bytes).substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  std::string m_bytes;
};

void readDynamic(const Image& image, const Elf64_Shdr& section, std::uint64_t texts, ElfFacts& facts) {
  for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Dyn); ++i) {
    const auto entry = image.at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
    const std::uint64_t value = entry.d_un.d_val;
    if (entry.d_tag == DT_NEEDED) facts.libraries.push_back(image.textAt(texts + value));
    if (entry.d_tag == DT_FLAGS && (value & DF_BIND_NOW) != 0) facts.bindsAtStart = true;
    if (entry.d_tag == DT_FLAGS_1 && (value & DF_1_NOW) != 0) facts.bindsAtStart = true;
  }
}

void readImports(const Image& image, const Elf64_Shdr& section, std::uint64_t texts, ElfFacts& facts) {
  for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = image.at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
    if (symbol.st_shndx == SHN_UNDEF) facts.imports.push_back(image.textAt(texts + symbol.st_name));
  }
}

} // namespace

std::optional<ElfFacts> elfFacts(const std::filesystem::path& program) {
  const Image image(program);
  const auto head = image.at<Elf64_Ehdr>(0);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  ElfFacts facts;
  facts.positionIndependent = head.e_type == ET_DYN;
  for (std::uint64_t i = 0; i < head.e_phnum; ++i) {
    const auto segment = image.at<Elf64_Phdr>(head.e_phoff + i * sizeof(Elf64_Phdr));
    if (segment.p_type == PT_GNU_RELRO) facts.relocationsReadOnly = true;
    if (segment.p_type == PT_GNU_STACK) facts.stackNotExecutable = (segment.p_flags & PF_X) == 0;
  }
  bool dynamic = false;
  for (std::uint64_t i = 0; i < head.e_shnum; ++i) {
    const auto section = image.at<Elf64_Shdr>(head.e_shoff + i * sizeof(Elf64_Shdr));
    if (section.sh_type != SHT_DYNAMIC && section.sh_type != SHT_DYNSYM) continue;
    const auto texts = image.at<Elf64_Shdr>(head.e_shoff + section.sh_link * sizeof(Elf64_Shdr)).sh_offset;
    if (section.sh_type == SHT_DYNSYM) {
      readImports(image, section, texts, facts);
    } else {
      readDynamic(image, section, texts, facts);
      dynamic = true;
    }
  }
  return dynamic ? std::optional(facts) : std::nullopt;
}

#else

std::optional<ElfFacts> elfFacts(const std::filesystem::path&) {
  return std::nullopt;
}

#endif

} // namespace rankscope::test
