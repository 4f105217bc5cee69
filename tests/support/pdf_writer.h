// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace coracle::internal::test {

struct PdfPage {
  std::string text;
  int width = 144;  ///< points
  int height = 72;
};

/// A PDF with a line of Helvetica on each page. With `password` it says that it is encrypted, by keys that fit none.
inline std::string pdf_file(const std::vector<PdfPage>& pages, bool password = false) {
  std::vector<std::string> objects;
  std::string kids;
  for (size_t i = 0; i < pages.size(); ++i) kids += std::to_string(4 + 2 * i) + " 0 R ";
  objects.emplace_back("<< /Type /Catalog /Pages 2 0 R >>");
  objects.push_back("<< /Type /Pages /Kids [" + kids + "] /Count " + std::to_string(pages.size()) + " >>");
  objects.emplace_back("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (size_t i = 0; i < pages.size(); ++i) {
    objects.push_back("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 " + std::to_string(pages[i].width) + " " +
                      std::to_string(pages[i].height) + "] /Resources << /Font << /F1 3 0 R >> >> /Contents " +
                      std::to_string(5 + 2 * i) + " 0 R >>");
    const std::string content = "BT /F1 24 Tf 10 20 Td (" + pages[i].text + ") Tj ET";
    objects.push_back("<< /Length " + std::to_string(content.size()) + " >>\nstream\n" + content + "\nendstream");
  }
  std::string file = "%PDF-1.4\n";
  std::string table;
  for (size_t i = 0; i < objects.size(); ++i) {
    char entry[32];
    std::snprintf(entry, sizeof entry, "%010zu 00000 n \n", file.size());
    table += entry;
    file += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string count = std::to_string(objects.size() + 1);
  const std::string key = "<" + std::string(64, '5') + ">";
  const std::string encryption =
      " /Encrypt << /Filter /Standard /V 1 /R 2 /O " + key + " /U " + key + " /P -4 >> /ID [<00112233> <00112233>]";
  return file + "xref\n0 " + count + "\n0000000000 65535 f \n" + table + "trailer << /Size " + count + " /Root 1 0 R" +
         (password ? encryption : "") + " >>\nstartxref\n" + std::to_string(file.size()) + "\n%%EOF\n";
}

}  // namespace coracle::internal::test
