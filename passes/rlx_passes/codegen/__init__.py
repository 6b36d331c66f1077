"""Real compilers driven from lowered modules: toolchains, the bundle format, one emitter per target."""
