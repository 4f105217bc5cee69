// SPDX-License-Identifier: Apache-2.0
#include "cli/compare/engine.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/json.h"
#include "base/system/child.h"
#include "base/system/native_path.h"
#include "base/system/program.h"
#include "cli/failure.h"
#include "cli/file.h"
#include "cli/interrupt.h"
#include "client/npy.h"

// request.json: {"engine", "model", "params", "mode": "outputs" | "values", "wanted": [key] or null,
//                "inputs": [{"name", "file", "lod"}]}
// reply.json:   {"version", "outputs": [{"name", "file"}], "values": [{"name", "op", "node", "key", "file"}]}
//               or {"error", "missing"}
namespace coracle::cli {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone with its content at the end.
class ExchangeFolder {
 public:
  ExchangeFolder() : path_(internal::path_text(fs::temp_directory_path() / "coracle-compare-XXXXXX")) {
    if (!internal::make_temporary_folder(path_)) {
      throw Failure(ExitCode::kIo, path_ + ": cannot be made: " + std::strerror(errno));
    }
  }
  ~ExchangeFolder() {
    std::error_code ignored;
    fs::remove_all(internal::native_path(path_), ignored);
  }
  ExchangeFolder(const ExchangeFolder&) = delete;
  ExchangeFolder& operator=(const ExchangeFolder&) = delete;
  std::string path(const std::string& name = {}) const { return name.empty() ? path_ : path_ + "/" + name; }

 private:
  std::string path_;
};

/// Runs `python -c SCRIPT FOLDER`, whose own words go to FOLDER/log, and returns its exit status (negative: killed).
int run_script(const std::string& python, const ExchangeFolder& folder) {
  const internal::Ended ended = internal::run_to_end({python, "-c", kEngineScript, folder.path()}, folder.path("log"));
  if (ended.error != 0) {
    throw Failure(ExitCode::kIo, fmt::format("{}: cannot be started: {}; --python names the interpreter to use", python,
                                             std::strerror(ended.error)));
  }
  return ended.status;
}

/// The last words of a text.
std::string tail(const std::string& text) {
  constexpr size_t kMost = 600;
  return text.size() <= kMost ? text : "..." + text.substr(text.size() - kMost);
}

class EngineSide : public Side {
 public:
  EngineSide(std::string engine, std::string python, std::string model, std::string params)
      : engine_(std::move(engine)), python_(std::move(python)), model_(std::move(model)), params_(std::move(params)) {}

  std::string text() const override {
    return engine_ + (version_.empty() ? "" : " " + version_) + " (" + python_ + "), " + model_;
  }
  bool shows_values() const override { return true; }

  std::vector<Output> run(const std::vector<NamedInput>& inputs, size_t /*set*/) override {
    const ExchangeFolder folder;
    const internal::JsonDocument reply = ask(folder, inputs, "outputs", nullptr);
    std::vector<Output> outputs;
    for (const internal::JsonValue& o : reply["outputs"].GetArray()) {
      outputs.push_back({o["name"].GetString(), read_npy(folder.path(o["file"].GetString()))});
    }
    return outputs;
  }

  void observe(const std::vector<NamedInput>& inputs, const std::set<std::string>* wanted, const See& see) override {
    const ExchangeFolder folder;
    const internal::JsonDocument reply = ask(folder, inputs, "values", wanted);
    std::map<std::string, size_t> counts;
    for (const internal::JsonValue& v : reply["values"].GetArray()) {
      const std::string name = v["name"].GetString();
      SeenValue value{{}, name, v["node"].GetString(), v["op"].GetString()};
      if (wanted == nullptr) {
        value.key = fmt::format("{}#{}", name, counts[name]++);
        see(value, nullptr);
        continue;
      }
      value.key = v["key"].GetString();
      const client::Tensor array = read_npy(folder.path(v["file"].GetString()));
      see(value, &array);
    }
  }

 private:
  internal::JsonDocument ask(const ExchangeFolder& folder, const std::vector<NamedInput>& inputs, const char* mode,
                             const std::set<std::string>* wanted) {
    write_request(folder, inputs, mode, wanted);
    const int status = run_script(python_, folder);
    if (Interruption::happened()) throw Failure(ExitCode::kInterrupted, "interrupted");
    internal::JsonDocument reply;
    if (fs::exists(internal::native_path(folder.path("reply.json"))))
      reply.Parse(read_file(folder.path("reply.json")).c_str());
    if (reply.HasParseError() || !reply.IsObject()) {
      const std::string said = tail(read_file(folder.path("log")));
      throw Failure(ExitCode::kRunFailure, fmt::format("{} {} and said {}", text(),
                                                       status < 0 ? internal::how_ended(status)
                                                                  : fmt::format("ended with exit code {}", status),
                                                       said.empty() ? "nothing" : said));
    }
    if (reply.HasMember("missing")) {
      throw Failure(ExitCode::kUnsupported,
                    fmt::format("{} is not installed for {}: {}; '{} -m pip install {}' installs it, --python names "
                                "another interpreter",
                                engine_, python_, reply["error"].GetString(), python_,
                                engine_ == "paddle" ? "paddlepaddle" : engine_));
    }
    if (reply.HasMember("error")) {
      throw Failure(ExitCode::kRunFailure, text() + ": " + tail(reply["error"].GetString()));
    }
    version_ = reply["version"].GetString();
    return reply;
  }

  void write_request(const ExchangeFolder& folder, const std::vector<NamedInput>& inputs, const char* mode,
                     const std::set<std::string>* wanted) const {
    internal::JsonBuffer buffer;
    internal::JsonWriter w(buffer);
    w.StartObject();
    w.field("engine", engine_);
    w.field("model", model_);
    w.field("params", params_);
    w.field("mode", mode);
    w.Key("wanted");
    if (wanted == nullptr) {
      w.Null();
    } else {
      w.StartArray();
      for (const std::string& key : *wanted) w.String(key.c_str());
      w.EndArray();
    }
    w.Key("inputs");
    w.StartArray();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string file = fmt::format("input_{}.npy", i);
      coracle::write_file(folder.path(file), client::npy_bytes(inputs[i].input.array));
      w.StartObject();
      w.field("name", inputs[i].name);
      w.field("file", file);
      w.Key("lod");
      w.StartArray();
      for (const std::vector<size_t>& level : inputs[i].input.lod) {
        w.StartArray();
        for (const size_t offset : level) w.Uint64(offset);
        w.EndArray();
      }
      w.EndArray();
      w.EndObject();
    }
    w.EndArray();
    w.EndObject();
    coracle::write_file(folder.path("request.json"), buffer.GetString());
  }

  std::string engine_;
  std::string python_;
  std::string model_;
  std::string params_;
  std::string version_;  // known after a run
};

}  // namespace

std::unique_ptr<Side> engine_side(const std::string& engine, const std::string& python, const std::string& model,
                                  const std::string& params) {
  if (engine == "onnxruntime" && !model.ends_with(".onnx")) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("--engine onnxruntime runs ONNX files: give one as the second model (made "
                              "with paddle2onnx of {}); found '{}'",
                              model, model));
  }
  const bool is_onnx = engine == "openvino" && model.ends_with(".onnx");
  if (engine == "onnxruntime" || is_onnx) return std::make_unique<EngineSide>(engine, python, model, "");
  internal::JsonDocument d;
  d.Parse(coracle::inspect(model, params).c_str());
  const std::string file = d["file"].GetString();
  if (engine == "openvino" && !file.ends_with(".pdmodel")) {
    throw Failure(ExitCode::kUsage,
                  fmt::format("--engine openvino runs .pdmodel files with the .pdiparams of their name "
                              "beside them, and ONNX files; found '{}'",
                              file));
  }
  return std::make_unique<EngineSide>(engine, python, file, params);
}

}  // namespace coracle::cli
