// The environment is read while the pipeline is built and ends up in its text.
// RUN: env RLX_FUSE_ATTN_THRESHOLD=128 rlx-opt --rlx-fusion=target=cpu --print-pass-pipeline | filecheck %s --check-prefix=TOKENS
// RUN: env RLX_DISABLE_MATMUL_BIAS_FUSION=1 rlx-opt --rlx-fusion=target=cpu --print-pass-pipeline | filecheck %s --check-prefix=ABLATED
// RUN: env RLX_METAL_NO_FUSION=1 rlx-opt --rlx-fusion='target=rocm merge-env=true' --print-pass-pipeline | filecheck %s --check-prefix=SKIP

// TOKENS:      rlx-fuse-attention-block{max-tokens=128
// ABLATED-NOT: rlx-fuse-matmul-bias-act
// ABLATED:     rlx-fuse-attention-block
// ABLATED-NOT: rlx-fuse-matmul-bias-act
// SKIP:        {{^(rlx-lower-control-flow[^,]*,)?}}rlx-lower-dot-general{{$}}
