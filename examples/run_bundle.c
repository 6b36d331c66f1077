/*
 * Runs a native cpu bundle without Python.
 *
 *     rlx-compile examples/mlp.mlir --from=rlx --target=cpu --via=native -o mlp
 *     cc examples/run_bundle.c -DENTRY=mlp -Imlp mlp/program.o mlp/runtime.o -lpthread -lm -o run_mlp
 *     ./run_mlp weights.bin input.bin > output.bin
 *
 * Files are raw: the params, or inputs, one after another in the order of rlx_run_<entry>_TENSORS in program.h, each
 * row by row in the byte order of the machine; outputs go to standard output in the same way. With -DPREPARE for an
 * entry that has a prepare function. Every size has to be known when the program is compiled.
 */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

#define JOIN_(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_(a, b, c)
#define OF_ENTRY(what) JOIN(rlx_run_, ENTRY, what)

static const struct rlx_tensor tensors[] = {OF_ENTRY(_TENSORS)};
enum { COUNT = sizeof tensors / sizeof *tensors };
static void *memory[COUNT];

static void fail(const char *what, const char *which) {
  fprintf(stderr, "%s %s\n", what, which);
  exit(1);
}

/* Fill the tensors of a role from a file that holds nothing else. */
static void read_tensors(const char *path, char role) {
  FILE *file = fopen(path, "rb");
  if (!file) fail("cannot open", path);
  for (int i = 0; i < COUNT; i++)
    if (tensors[i].role == role && fread(memory[i], 1, tensors[i].bytes, file) != (size_t)tensors[i].bytes)
      fail("the file is too short for", tensors[i].name);
  if (fgetc(file) != EOF) fail("the file is longer than its tensors:", path);
  fclose(file);
}

/* Call a function whose words hold the addresses of tensors at `place` of each. */
static void call(int32_t (*function)(int64_t *), int64_t *words, int arena_word, int64_t arena, int is_main) {
  for (int i = 0; i < COUNT; i++) {
    int place = is_main ? tensors[i].main : tensors[i].prepare;
    if (place >= 0) words[place] = (int64_t)memory[i];
  }
  void *scratch = arena ? rlx_alloc(arena) : NULL;
  if (arena) words[arena_word] = (int64_t)scratch;
  int32_t fault = function(words);
  if (fault) {
    fprintf(stderr, "assertion %d of program.h does not hold\n", (int)fault);
    exit(1);
  }
  rlx_free(scratch);
}

int main(int argc, char **argv) {
  static int64_t words[OF_ENTRY(_WORDS)];
  if (argc != 3) fail("usage: run WEIGHTS INPUTS > OUTPUTS", "");
  for (int i = 0; i < COUNT; i++) {
    if (tensors[i].bytes < 0) fail("a size of it is not known:", tensors[i].name);
    memory[i] = rlx_alloc(tensors[i].bytes);
    if (!memory[i]) fail("no memory for", tensors[i].name);
  }
  read_tensors(argv[1], 'p');
  read_tensors(argv[2], 'i');
#ifdef PREPARE
  static int64_t prepare_words[OF_ENTRY(_prepare_WORDS)];
  call(OF_ENTRY(_prepare), prepare_words, OF_ENTRY(_prepare_ARENA_WORD), OF_ENTRY(_prepare_ARENA), 0);
#endif
  call(OF_ENTRY(), words, OF_ENTRY(_ARENA_WORD), OF_ENTRY(_ARENA), 1);
  for (int i = 0; i < COUNT; i++)
    if (tensors[i].role == 'o') fwrite(memory[i], 1, tensors[i].bytes, stdout);
  return 0;
}
