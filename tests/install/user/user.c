/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a model that is not there and prints the status and message: the C interface from C. */
#include <coracle/coracle.h>

#include <stdio.h>

int main(void) {
  coracle_model* model = NULL;
  coracle_status status = coracle_model_load("/nonexistent/model", NULL, NULL, &model);
  printf("%d %s\n", (int)status, coracle_last_error());
  return status == CORACLE_IO && model == NULL ? 0 : 1;
}
