// SPDX-License-Identifier: Apache-2.0
#include "vision/session.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

namespace coracle::vision {
namespace {

std::string names_of_tensors(const std::vector<coracle::TensorInfo>& infos) {
  std::string all;
  for (const coracle::TensorInfo& info : infos) all.append(all.empty() ? "" : ", ").append(info.name);
  return all;
}

/// A model and a session of its own.
class OwnSession final : public ModelRunner {
 public:
  OwnSession(const coracle::Model& model, int threads)
      : session_(model, {.threads = threads}), inputs_(model.inputs()), outputs_(model.outputs()) {}

  const std::vector<coracle::TensorInfo>& inputs() const override { return inputs_; }
  const std::vector<coracle::TensorInfo>& outputs() const override { return outputs_; }
  void run(const std::vector<RunInput>& inputs, Cancelled cancelled) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) session_.set_input(i, inputs[i].dims, inputs[i].values);
    coracle::RunOptions options;
    options.cancelled = cancelled;
    session_.run(options);
  }
  coracle::View output(std::size_t index) const override { return session_.output(index); }

 private:
  coracle::Session session_;
  std::vector<coracle::TensorInfo> inputs_;
  std::vector<coracle::TensorInfo> outputs_;
};

std::unique_ptr<ModelRunner> runner_of(const ModelPlace& place, const std::string& params,
                                       const ReaderOptions& options) {
  if (options.open == nullptr) return std::make_unique<OwnSession>(place.load(params), options.threads);
  if (place.in_memory())
    throw Error(Problem::kUsage, place.path() + ": only a model at a path can be opened by a function of the caller");
  std::unique_ptr<ModelRunner> runner = options.open(place.path(), params);
  if (runner == nullptr) throw Error(Problem::kUsage, place.path() + ": the caller's function has opened no model");
  return runner;
}

/// Models that are loaded once.
class SharedModels {
 public:
  explicit SharedModels(int threads) : threads_(threads) {}

  std::unique_ptr<ModelRunner> open(const std::string& path, const std::string& params) {
    const std::lock_guard lock(mutex_);
    auto found = models_.find({path, params});
    if (found == models_.end()) found = models_.emplace(std::pair(path, params), ModelPlace(path).load(params)).first;
    return std::make_unique<OwnSession>(found->second, threads_);
  }

 private:
  int threads_;
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, coracle::Model> models_;
};

}  // namespace

OpenModel open_shared(int threads) {
  return [models = std::make_shared<SharedModels>(threads)](const std::string& path, const std::string& params) {
    return models->open(path, params);
  };
}

PictureModel::PictureModel(const ModelPlace& place, const std::string& params, const ReaderOptions& options)
    : runner_(runner_of(place, params, options)), path_(place.path()) {
  const auto takes_pictures = [](const coracle::TensorInfo& info) {
    return info.dtype == CORACLE_FLOAT32 && info.rank_known && info.dims.size() == 4 &&
           (info.dims[1] < 0 || info.dims[1] == 3);
  };
  const std::vector<coracle::TensorInfo>& inputs = runner_->inputs();
  const auto found = std::find_if(inputs.begin(), inputs.end(), takes_pictures);
  if (found == inputs.end()) {
    throw Error(Problem::kUsage, path_ + ": takes no pictures: none of its inputs (" + names_of_tensors(inputs) +
                                     ") is float32 with 3 channels in 4 dimensions; 'coracle run' runs it");
  }
  picture_input_ = static_cast<std::size_t>(found - inputs.begin());
  dims_ = found->dims;
}

void PictureModel::run(const Prepared& prepared, const std::vector<float>& values, std::int64_t count,
                       Cancelled cancelled) {
  const std::array<float, 2> size{static_cast<float>(prepared.resized_height),
                                  static_cast<float>(prepared.resized_width)};
  const std::array<float, 2> scale{static_cast<float>(prepared.scale_y), static_cast<float>(prepared.scale_x)};
  std::vector<RunInput> inputs;
  for (std::size_t i = 0; i < runner_->inputs().size(); ++i) {
    const std::string& name = runner_->inputs()[i].name;
    if (i == picture_input_) {
      inputs.push_back({{count, 3, prepared.height, prepared.width}, values});
    } else if (name == "im_shape") {
      inputs.push_back({{1, 2}, size});
    } else if (name == "scale_factor") {
      inputs.push_back({{1, 2}, scale});
    } else {
      throw Error(Problem::kUsage,
                  path_ + ": input '" + name + "' is not known; known besides the picture are: im_shape, scale_factor");
    }
  }
  runner_->run(inputs, cancelled);
}

std::vector<std::vector<std::int64_t>> PictureModel::declared_outputs() const {
  std::vector<std::vector<std::int64_t>> all;
  for (const coracle::TensorInfo& info : runner_->outputs())
    all.push_back(info.rank_known ? info.dims : std::vector<std::int64_t>());
  return all;
}

std::vector<std::size_t> PictureModel::declared_ranks() const {
  std::vector<std::size_t> ranks;
  for (const std::vector<std::int64_t>& dims : declared_outputs()) ranks.push_back(dims.size());
  return ranks;
}

bool PictureModel::has_input(const std::string& name) const {
  return std::any_of(runner_->inputs().begin(), runner_->inputs().end(),
                     [&](const coracle::TensorInfo& info) { return info.name == name; });
}

Output PictureModel::output(std::size_t index) const {
  const coracle::View view = runner_->output(index);
  Output out;
  out.dims = view.dims();
  out.size = view.size();
  const auto copy = [&](auto values) {
    out.converted.reserve(values.size());
    for (const auto v : values) out.converted.push_back(static_cast<float>(v));
    out.data = out.converted.data();
  };
  switch (view.dtype()) {
    case CORACLE_FLOAT32: out.data = static_cast<const float*>(view.raw()); break;
    case CORACLE_FLOAT64: copy(view.values<double>()); break;
    case CORACLE_INT64: copy(view.values<std::int64_t>()); break;
    case CORACLE_INT32: copy(view.values<std::int32_t>()); break;
    case CORACLE_UINT8: copy(view.values<std::uint8_t>()); break;
    default: refuse(index, view.dtype());
  }
  return out;
}

std::size_t PictureModel::output_rank(std::size_t index) const { return runner_->output(index).dims().size(); }

MaskPlanes PictureModel::planes(std::size_t index) const {
  const coracle::View view = runner_->output(index);
  const std::vector<std::int64_t> dims = view.dims();
  switch (view.dtype()) {
    case CORACLE_BOOL:
    case CORACLE_UINT8:
    case CORACLE_INT32:
    case CORACLE_INT64:
    case CORACLE_FLOAT32: break;
    default: refuse(index, view.dtype());
  }
  return {view.dtype(), view.raw(), static_cast<std::size_t>(dims[0]), static_cast<int>(dims[2]),
          static_cast<int>(dims[1])};
}

void PictureModel::refuse(std::size_t index, coracle_dtype dtype) const {
  throw Error(Problem::kDescription, path_ + ": output " + std::to_string(index) + " is of type " +
                                         coracle_dtype_name(dtype) + ", no answer is made of that");
}

}  // namespace coracle::vision
