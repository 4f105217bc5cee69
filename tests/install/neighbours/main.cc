// SPDX-License-Identifier: Apache-2.0
// Coracle beside protobuf, glog, gflags and OpenMP in one program, all at work: reads a model file with protobuf, runs
// the model in each thread of OpenMP, and logs. The model maps 1 2 to 7 10 in its output 1 (write_model).
//   neighbours --model=FOLDER
#include <gflags/gflags.h>
#include <glog/logging.h>
#include <google/protobuf/descriptor.h>
#include <omp.h>

#include <coracle/coracle.hpp>
#include <fstream>

#include "framework.pb.h"

DEFINE_string(model, "", "folder with inference.pdmodel and inference.pdiparams");
DEFINE_int32(threads, 4, "threads of OpenMP");

int main(int argc, char** argv) {
  GOOGLE_PROTOBUF_VERIFY_VERSION;
  FLAGS_logtostderr = true;
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  google::InitGoogleLogging(argv[0]);
  google::InstallFailureSignalHandler();

  std::ifstream file(FLAGS_model + "/inference.pdmodel", std::ios::binary);
  paddle::framework::proto::ProgramDesc program;
  CHECK(program.ParseFromIstream(&file));
  CHECK_EQ(program.blocks_size(), 1);
  CHECK(google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName("paddle.framework.proto.OpDesc") ==
        nullptr)
      << "somebody else's description of model files";

  const coracle::Model model(FLAGS_model);
  int right = 0;
#pragma omp parallel num_threads(FLAGS_threads) reduction(+ : right)
  {
    coracle::Session session(model);
    for (int i = 0; i < 100; ++i) {
      session.set_input(0, {1, 2}, std::vector<float>{1, 2});
      session.run();
      const coracle::View view = session.output(1);
      const auto values = view.values<float>();
      right += values[0] == 7 && values[1] == 10 ? 1 : 0;
    }
  }
  CHECK_EQ(right, 100 * FLAGS_threads);
  LOG(INFO) << program.blocks_size() << " block, " << right << " right results in " << FLAGS_threads << " threads";
  google::protobuf::ShutdownProtobufLibrary();
  google::ShutdownGoogleLogging();
  return 0;
}
