// SPDX-License-Identifier: Apache-2.0
#include "serve/page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"

namespace coracle::serve {
namespace {

/// Nothing of other servers is loaded or asked, nothing runs that is not one of the files, and nobody may frame it.
constexpr const char* kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PageFile* find_page_file(const Path& path) {
  std::string_view name;
  if (path.empty()) {
    name = "index.html";
  } else if (path.size() == 2 && path[0] == "page" && path[1] != "index.html") {
    name = path[1];
  }
  const auto found =
      std::find_if(page_files.begin(), page_files.end(), [&](const PageFile& f) { return f.name == name; });
  return found == page_files.end() ? nullptr : &*found;
}

std::string page_content_type(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 5> kTypes = {
      {{".html", "text/html; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".svg", "image/svg+xml"},
       {".png", "image/png"}}};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

/// What works with several models: where it is asked, and its models by stage.
void write_tool(internal::JsonWriter& json, const std::string& name, const std::string& path,
                const std::vector<std::pair<std::string, std::string>>& stages) {
  json.field("name", name);
  json.field("path", path);
  json.objects("stages", stages, [&](const auto& stage) {
    json.field("name", stage.first);
    json.field("model", stage.second);
  });
}

}  // namespace

std::string Page::tools() const {
  return internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    json.objects("readers", readers_(), [&](const TextReaderModels& reader) {
      std::vector<std::pair<std::string, std::string>> stages = {{"detector", reader.detector},
                                                                 {"recognizer", reader.recognizer}};
      if (!reader.classifier.empty()) stages.emplace_back("classifier", reader.classifier);
      write_tool(json, reader.name, "v2/models/" + reader.name + "/predict", stages);
    });
    json.objects("pipelines", pipelines_, [&](const PipelineConfig& pipeline) {
      write_tool(json, pipeline.name, std::string(pipeline_kind(pipeline.name).path),
                 {pipeline.names.begin(), pipeline.names.end()});
    });
    json.EndObject();
  });
}

bool Page::open_to_all(const Path& path) const { return find_page_file(path) != nullptr; }

std::optional<Cancel> Page::handle(const HttpRequest& request, const Path& path, const Respond& respond) {
  if (path == Path{"page", "server.json"}) {
    require_method(request, "GET");
    HttpResponse response = json_response(tools());
    response.headers = {{"Cache-Control", "no-store"}};
    respond(std::move(response));
    return Cancel();
  }
  const PageFile* const file = find_page_file(path);
  if (file == nullptr) return std::nullopt;
  require_method(request, "GET");
  HttpResponse response;
  response.content_type = page_content_type(file->name);
  response.headers = {{"ETag", std::string(file->etag)},
                      {"Cache-Control", "no-cache"},
                      {"Vary", "Accept-Encoding"},
                      {"Content-Security-Policy", kContentSecurityPolicy},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Referrer-Policy", "no-referrer"},
                      {"X-Frame-Options", "DENY"}};
  // The header may have several tags; none of them is part of another one.
  if (request.header("If-None-Match").find(file->etag) != std::string_view::npos) {
    response.status = 304;
    response.content_type.clear();
  } else {
    response.body = std::string(file->bytes);
  }
  respond(std::move(response));
  return Cancel();
}

}  // namespace coracle::serve
