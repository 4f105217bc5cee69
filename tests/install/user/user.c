/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface from C: a model that is not there is an error; the model given as argument, which takes pairs, maps
 * 1 2 to 7 10 in its output "product". */
#include <coracle/coracle.h>
#include <stdio.h>

static int failed(const char* what) {
  fprintf(stderr, "%s: %s\n", what, coracle_last_error());
  return 1;
}

int main(int argc, char** argv) {
  coracle_model* model = NULL;
  coracle_session* session = NULL;
  const int64_t dims[] = {1, 2};
  const float pair[] = {1, 2};
  float product[2] = {0, 0};
  int64_t output;
  if (argc != 2) return 2;
  if (coracle_model_load("/nonexistent/model", NULL, NULL, &model) != CORACLE_IO || model != NULL) return failed("IO");
  if (coracle_model_load(argv[1], NULL, NULL, &model) != CORACLE_OK) return failed("load");
  output = coracle_model_find_output(model, "product");
  if (coracle_session_create(model, NULL, &session) != CORACLE_OK ||
      coracle_session_set_input(session, 0, CORACLE_FLOAT32, 2, dims, pair) != CORACLE_OK ||
      coracle_session_run(session) != CORACLE_OK ||
      coracle_session_copy_output(session, (size_t)output, product, sizeof(product)) != CORACLE_OK)
    return failed("run");
  coracle_session_free(session);
  coracle_model_free(model);
  printf("%g %g\n", product[0], product[1]);
  return product[0] == 7 && product[1] == 10 ? 0 : 1;
}
