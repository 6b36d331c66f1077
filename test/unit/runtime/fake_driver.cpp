// A stand-in for the CUDA and HIP drivers: device memory is host memory, and both kernels add their first two buffers into
// the third, thread by thread, kernel_1 as many elements as its fourth argument says. Everything it is given is checked.
#include <cstdlib>
#include <cstring>

extern "C" {
static char image[64], sized[1];
static int context;

int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }
int cuDevicePrimaryCtxRetain(void **given, int device) { *given = &context; return device == 0 ? 0 : 101; }
int cuCtxSetCurrent(void *given) { return given == &context ? 0 : 201; }
int cuCtxSynchronize() { return 0; }
int cuModuleLoadData(void **module, const char *code) {
  if (std::strncmp(code, "add", 3) != 0) return 218;
  std::strncpy(image, code, sizeof image - 1);
  *module = image;
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  if (module != image || (std::strcmp(name, "kernel_0") != 0 && std::strcmp(name, "kernel_1") != 0)) return 500;
  *function = name[7] == '0' ? image : sized;
  return 0;
}
int cuMemAlloc_v2(void **address, std::size_t size) { *address = std::calloc(1, size); return 0; }
int cuMemFree_v2(void *address) { std::free(address); return 0; }
int cuMemcpyHtoD_v2(void *device, const void *host, std::size_t size) { std::memcpy(device, host, size); return 0; }
int cuMemcpyDtoH_v2(void *host, const void *device, std::size_t size) { std::memcpy(host, device, size); return 0; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **arguments, void **extra) {
  if ((function != image && function != sized) || shared != 0 || stream || extra || gy * gz * by * bz != 1) return 1;
  float *a = *(float **)arguments[0], *b = *(float **)arguments[1], *c = *(float **)arguments[2];
  unsigned end = function == sized ? *(unsigned *)arguments[3] : gx * bx;
  if (end > gx * bx) return 1;
  for (unsigned i = 0; i < end; i++) c[i] = a[i] + b[i];
  return 0;
}
}
