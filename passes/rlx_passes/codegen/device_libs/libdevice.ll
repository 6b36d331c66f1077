; The library functions that GPU kernels still call after device_math has written out the rest, as LLVM intrinsics.
; Stands where CUDA's libdevice would be linked.
target triple = "nvptx64-nvidia-cuda"

define linkonce_odr float @__nv_fabsf(float %x) alwaysinline {
  %r = call float @llvm.fabs.f32(float %x)
  ret float %r
}
define linkonce_odr double @__nv_fabs(double %x) alwaysinline {
  %r = call double @llvm.fabs.f64(double %x)
  ret double %r
}
define linkonce_odr float @__nv_floorf(float %x) alwaysinline {
  %r = call float @llvm.floor.f32(float %x)
  ret float %r
}
define linkonce_odr double @__nv_floor(double %x) alwaysinline {
  %r = call double @llvm.floor.f64(double %x)
  ret double %r
}
define linkonce_odr float @__nv_ceilf(float %x) alwaysinline {
  %r = call float @llvm.ceil.f32(float %x)
  ret float %r
}
define linkonce_odr double @__nv_ceil(double %x) alwaysinline {
  %r = call double @llvm.ceil.f64(double %x)
  ret double %r
}
define linkonce_odr float @__nv_truncf(float %x) alwaysinline {
  %r = call float @llvm.trunc.f32(float %x)
  ret float %r
}
define linkonce_odr double @__nv_trunc(double %x) alwaysinline {
  %r = call double @llvm.trunc.f64(double %x)
  ret double %r
}
define linkonce_odr float @__nv_rintf(float %x) alwaysinline {
  %r = call float @llvm.rint.f32(float %x)
  ret float %r
}
define linkonce_odr double @__nv_rint(double %x) alwaysinline {
  %r = call double @llvm.rint.f64(double %x)
  ret double %r
}
define linkonce_odr float @__nv_sqrtf(float %x) alwaysinline {
  %r = call float @llvm.sqrt.f32(float %x)
  ret float %r
}
define linkonce_odr double @__nv_sqrt(double %x) alwaysinline {
  %r = call double @llvm.sqrt.f64(double %x)
  ret double %r
}
define linkonce_odr float @__nv_fmaf(float %x, float %y, float %z) alwaysinline {
  %r = call float @llvm.fma.f32(float %x, float %y, float %z)
  ret float %r
}
define linkonce_odr float @__nv_copysignf(float %x, float %y) alwaysinline {
  %r = call float @llvm.copysign.f32(float %x, float %y)
  ret float %r
}
define linkonce_odr float @__nv_fmodf(float %x, float %y) alwaysinline {
  %r = frem float %x, %y
  ret float %r
}
define linkonce_odr double @__nv_fma(double %x, double %y, double %z) alwaysinline {
  %r = call double @llvm.fma.f64(double %x, double %y, double %z)
  ret double %r
}
define linkonce_odr double @__nv_copysign(double %x, double %y) alwaysinline {
  %r = call double @llvm.copysign.f64(double %x, double %y)
  ret double %r
}
define linkonce_odr double @__nv_fmod(double %x, double %y) alwaysinline {
  %r = frem double %x, %y
  ret double %r
}

declare float @llvm.fabs.f32(float)
declare double @llvm.fabs.f64(double)
declare float @llvm.floor.f32(float)
declare double @llvm.floor.f64(double)
declare float @llvm.ceil.f32(float)
declare double @llvm.ceil.f64(double)
declare float @llvm.trunc.f32(float)
declare double @llvm.trunc.f64(double)
declare float @llvm.rint.f32(float)
declare double @llvm.rint.f64(double)
declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.copysign.f64(double, double)
