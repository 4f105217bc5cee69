/* SPDX-License-Identifier: Apache-2.0 */
/* What is of the process stays as it was while the library is loaded, loads a model, reports errors and makes sessions:
 * environment, signals, threads, open files, standard streams, locale, floating-point modes, working directory. After a
 * run the same but for threads.
 *   before_run LIBRARY MODEL      a model with one input, of float32
 * Calls between access("/coracle-begin") and access("/coracle-end") are the library's, for those who trace. */
#include <coracle/coracle.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

extern char** environ;

enum { kLastSignal = 64 };

typedef struct State {
  char environment[65536];
  struct sigaction actions[kLastSignal + 1];
  stack_t signal_stack;
  sigset_t mask;
  char locale[256];
  char folder[4096];
  mode_t umask;
  int rounding;
  unsigned float_modes;
  int threads;
  int files;
  off_t printed;
} State;

static FILE* report;
static int failures;

static void expect(int holds, const char* what, const char* when) {
  if (holds) return;
  fprintf(report, "before_run: %s: %s\n", when, what);
  ++failures;
}

/* How many entries a folder of /proc/self has. */
static int entries(const char* path) {
  int count = 0;
  DIR* folder = opendir(path);
  if (folder == NULL) return -1;
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static off_t size_of(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? status.st_size : -1;
}

static void look(State* state) {
  size_t used = 0;
  memset(state, 0, sizeof(*state));
  for (char** entry = environ; *entry != NULL; ++entry) {
    const size_t length = strlen(*entry) + 1;
    if (used + length > sizeof(state->environment)) break;
    memcpy(state->environment + used, *entry, length);
    used += length;
  }
  for (int i = 1; i <= kLastSignal; ++i) sigaction(i, NULL, &state->actions[i]);
  sigaltstack(NULL, &state->signal_stack);
  sigprocmask(SIG_BLOCK, NULL, &state->mask);
  snprintf(state->locale, sizeof(state->locale), "%s", setlocale(LC_ALL, NULL));
  if (getcwd(state->folder, sizeof(state->folder)) == NULL) state->folder[0] = '\0';
  state->umask = umask(0);
  umask(state->umask);
  state->rounding = fegetround();
#if defined(__SSE2__)
  state->float_modes = _mm_getcsr() & 0xFFC0U; /* masks, rounding, flush to zero; not what was raised so far */
#endif
  state->threads = entries("/proc/self/task");
  state->files = entries("/proc/self/fd");
  fflush(stdout);
  fflush(stderr);
  state->printed = size_of(STDOUT_FILENO) + size_of(STDERR_FILENO);
}

static void compare(const State* before, const State* after, const char* when) {
  expect(memcmp(before->environment, after->environment, sizeof(before->environment)) == 0, "environment", when);
  for (int i = 1; i <= kLastSignal; ++i) {
    expect(before->actions[i].sa_handler == after->actions[i].sa_handler &&
               before->actions[i].sa_flags == after->actions[i].sa_flags,
           strsignal(i), when);
  }
  expect(before->signal_stack.ss_sp == after->signal_stack.ss_sp, "signal stack", when);
  expect(memcmp(&before->mask, &after->mask, sizeof(sigset_t)) == 0, "signal mask", when);
  expect(strcmp(before->locale, after->locale) == 0, "locale", when);
  expect(strcmp(before->folder, after->folder) == 0, "working directory", when);
  expect(before->umask == after->umask, "umask", when);
  expect(before->rounding == after->rounding && before->float_modes == after->float_modes, "floating point", when);
  expect(before->files == after->files, "open files", when);
  expect(before->printed == after->printed, "output", when);
}

/* Fixes the free dimensions of an input and gives its elements. */
static float* zeros_for(coracle_tensor_info* info) {
  size_t count = 1;
  for (int i = 0; i < info->rank; ++i) {
    if (info->dims[i] < 0) info->dims[i] = i == 0 ? 1 : 64;
    count *= (size_t)info->dims[i];
  }
  return calloc(count, sizeof(float));
}

static void* found(void* library, const char* name) {
  void* function = dlsym(library, name);
  expect(function != NULL, name, "not found");
  if (function == NULL) exit(1);
  return function;
}

/* POSIX makes a pointer to data one to a function. */
#define FUNCTION(name) __typeof__(&name) name##_here = (__typeof__(&name))found(library, #name)

int main(int argc, char** argv) {
  static State before;
  static State after;
  char printed[] = "/tmp/coracle-printed-XXXXXX";
  coracle_model* none = NULL;
  coracle_model* model = NULL;
  coracle_session* session = NULL;
  coracle_session* clone = NULL;
  coracle_session_options options;
  coracle_tensor_info info;
  float* zeros = NULL;
  char* json = NULL;
  int file;
  if (argc != 3) return 2;
  report = fdopen(dup(STDERR_FILENO), "w");
  file = mkstemp(printed);
  if (report == NULL || file < 0) return 2;
  unlink(printed);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  close(file);

  look(&before);
  access("/coracle-begin", F_OK);
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(report, "before_run: %s\n", dlerror());
    return 1;
  }
  FUNCTION(coracle_model_load);
  FUNCTION(coracle_model_free);
  FUNCTION(coracle_inspect);
  FUNCTION(coracle_string_free);
  FUNCTION(coracle_cpu_isa);
  FUNCTION(coracle_model_input);
  FUNCTION(coracle_session_options_init);
  FUNCTION(coracle_session_create);
  FUNCTION(coracle_session_clone);
  FUNCTION(coracle_session_set_input);
  FUNCTION(coracle_session_run);
  FUNCTION(coracle_session_free);
  coracle_cpu_isa_here();
  coracle_session_options_init_here(&options, sizeof(options));
  options.threads = 4;
  const int worked = coracle_model_load_here("/nonexistent/model", NULL, NULL, &none) == CORACLE_IO &&
                     coracle_inspect_here(argv[2], NULL, &json) == CORACLE_OK &&
                     coracle_model_load_here(argv[2], NULL, NULL, &model) == CORACLE_OK &&
                     coracle_session_create_here(model, &options, &session) == CORACLE_OK &&
                     coracle_session_run_here(session) == CORACLE_INVALID_ARGUMENT && /* no input yet */
                     coracle_session_clone_here(session, &clone) == CORACLE_OK &&
                     coracle_model_input_here(model, 0, &info) == CORACLE_OK && (zeros = zeros_for(&info)) != NULL &&
                     coracle_session_set_input_here(session, 0, info.dtype, info.rank, info.dims, zeros) == CORACLE_OK;
  access("/coracle-end", F_OK);
  look(&after);
  expect(worked, "the calls work", "before a run");
  compare(&before, &after, "before a run");
  expect(before.threads == after.threads, "threads", "before a run");

  expect(coracle_session_run_here(session) == CORACLE_OK, "the run works", "a run");
  look(&after);
  compare(&before, &after, "after a run");

  coracle_string_free_here(json);
  coracle_session_free_here(clone);
  coracle_session_free_here(session);
  coracle_model_free_here(model);
  free(zeros);
  look(&after);
  compare(&before, &after, "at the end");
  expect(before.threads == after.threads, "threads", "at the end");
  return failures == 0 ? 0 : 1;
}
