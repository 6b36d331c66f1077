"""Ops written out as plainer ones: control flow, products, fused ops and regions."""
