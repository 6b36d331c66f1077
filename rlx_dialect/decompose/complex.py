"""Squares and conjugates of complex numbers in plain ops on their parts."""

from rlx_dialect.attributes import Activation
from rlx_dialect.decompose.plain import Decomposition, Plain, plain_form
from rlx_dialect.ops import ComplexNormSqBackwardOp, ComplexNormSqOp, ComplexOp, ConjugateOp, ImagOp, RealOp


@plain_form(ConjugateOp)
def conjugate(op: ConjugateOp) -> Decomposition:
    to = Plain()
    real, imag = to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result
    return to.done(to.add(ComplexOp(real, to.activated(Activation.NEG, imag))).result)


@plain_form(ComplexNormSqOp)
def norm_sq(op: ComplexNormSqOp) -> Decomposition:
    to = Plain()
    real, imag = to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result
    return to.done(to.plus(to.times(real, real), to.times(imag, imag)))


@plain_form(ComplexNormSqBackwardOp)
def norm_sq_backward(op: ComplexNormSqBackwardOp) -> Decomposition:
    to = Plain()
    twice = to.times(op.gradient, to.scalar(2, op.gradient))
    real, imag = to.add(RealOp(op.input)).result, to.add(ImagOp(op.input)).result
    return to.done(to.add(ComplexOp(to.times(real, twice), to.times(imag, twice))).result)
