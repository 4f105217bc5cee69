// SPDX-License-Identifier: Apache-2.0
#include "command_line/manual_page.h"

namespace coracle::command_line {
namespace {

/// Text as roff shows it.
std::string roff(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

std::string option_entry(const OptionRow& o) {
  std::string head;
  for (const std::string& n : o.names) head += (head.empty() ? "\\fB" : ", \\fB") + roff(n) + "\\fR";
  if (o.names.empty()) head = "\\fI" + roff(o.name) + "\\fR";
  if (!o.value.empty() && !o.names.empty()) head += " \\fI" + roff(o.value) + "\\fR";
  const std::string given = o.default_value.empty() ? "" : " (default: " + roff(o.default_value) + ")";
  return ".TP\n" + head + "\n" + roff(o.description) + given + "\n";
}

}  // namespace

std::string manual_page(const std::vector<CommandRow>& table, const CommandRow& row, const std::string& version) {
  const bool whole = &row == table.data();
  const std::string name = whole ? row.name : table[0].name + "-" + row.name;
  std::string out = ".TH " + roff(upper_case(name)) + " 1 \"\" \"Coracle " + version + "\"\n.SH NAME\n" + roff(name) +
                    " \\- " + roff(row.description) + "\n.SH SYNOPSIS\n.B " + roff(table[0].name) +
                    (whole ? "" : " " + row.name) + "\n";
  if (whole && table.size() > 1) {
    out += ".I command\n[\\fIoptions\\fR]\n.SH COMMANDS\n";
    for (size_t i = 1; i < table.size(); ++i) {
      out += ".TP\n\\fB" + roff(table[i].name) + "\\fR\n" + roff(table[i].description) + " (\\fB" +
             roff(table[0].name + "-" + table[i].name) + "\\fR(1))\n";
    }
  } else {
    out += "[\\fIoptions\\fR]\n";
    for (const OptionRow& o : row.options) {
      if (o.names.empty()) out += "\\fI" + roff(o.name) + "\\fR\n";
    }
  }
  out += ".SH OPTIONS\n";
  for (const OptionRow& o : row.options) out += option_entry(o);
  if (!row.footer.empty()) out += ".SH NOTES\n.nf\n" + roff(row.footer) + "\n.fi\n";
  return out;
}

}  // namespace coracle::command_line
