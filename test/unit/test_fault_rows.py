"""Faults of other compilers and this one, by id; each has a test or a lit function that bears the id."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]

FAULTS = {
    # Product, bias, activation
    "k01": "a bias that runs along the rows is taken for one along the columns where the result is square",
    "k02": "an addend of dims [1, N] becomes a bias of a fused op that takes rank 1",
    "k03": "an addend of higher rank than the product becomes its bias",
    "k04": "a left side of rank 3 goes to a fused op that takes two dims",
    "k05": "a scalar that is stretched to one element loses its dim when it is folded into a product",
    "k06": "a dim of size 0 ends in a division by zero",
    "k07": "the batch of a product is taken from its left side alone",
    "k08": "a product with a second reader is fused, and so computed twice",
    "k09": "a value between product and activation is lost although it is a result of the function",
    "k10": "a fused op is made for a dtype that the target has no kernel for",
    "k11": "a product in f64 gets an epilogue that the library has for f32 alone",
    "k12": "a fusion takes its own fused op as input, and changes it again",
    # Activations and numbers
    "k13": "gelu by erf and gelu by tanh become one kernel",
    "k14": "gelu written with 1 + erf cancels to zero left of -5",
    "k15": "a convolution with a second reader takes the activation of the first",
    "k16": "a fused norm of halves sums in f16 and overflows",
    "k17": "an infinity or a number like -1e12 in a fused region does not fit f16",
    # Residual and norm
    "k18": "the sum before a norm is a result, and the fused op does not give it; its addends change places",
    "k19": "a gain of dims [1, 1, H] passes the match, and the kernel wants [H]",
    "k20": "taking a fused norm apart gives the sum as another result than before",
    "k21": "the axis of a norm is read and then not looked at",
    "k22": "a norm without an epsilon is not recognised",
    "k23": "an RMS norm subtracts the mean",
    # Attention
    "k24": "any added mask is taken for a causal one",
    "k25": "keys that reach the scores through another transpose than that of heads still match",
    "k26": "a scale on queries and keys is counted twice; a guard of rows without a key hides the attention",
    "k27": "heads of keys that are repeated as a block are taken for heads that are repeated one by one",
    "k28": "a row whose keys are all hidden is NaN in one form and zero in the other",
    "k29": "the fused attention returns a value of another rank than what it replaces",
    # Shared input, gates
    "k30": "products of which one depends on another are joined: a cycle",
    "k31": "a weight that is computed after the joined product is used before it",
    "k32": "silu goes to the half of a joined product that is not the gate",
    "k33": "of two matches that overlap the smaller one wins, or they are merged",
    # Convolution
    "k34": "folding a batch norm into a convolution without bias loses the shift",
    "k35": "a bias and a residual share one operand, and are taken for each other",
    "k36": "an activation is fused for a number of channels that the target has no kernel for",
    "k37": "a residual that is the input of the convolution is overwritten by its result",
    # Regions, sizes at run time
    "k38": "every nearest resize is taken for a repetition of pixels",
    "k39": "a fused region has more inputs than a kernel has arguments",
    "k40": "of an op with several results one is read in place of all; fusion goes on through a value of other dims",
    "k41": "a guard looks at the first result of an op while another one is used",
    "k42": "an op that two regions read is erased with the first",
    "k43": "a size that a run decides is kept from the first run",
    "k44": "an operand that is stretched along a middle dim is indexed as if along the first",
    # Rewriting, text, places
    "k45": "a pattern reports a change where it made none, and the sweep does not end",
    "k46": "two patterns undo each other for ever",
    "k47": "a deep program ends in a recursion error, or costs more than its length",
    "k48": "ops without a mark of purity stay although nothing reads them",
    "k49": "a value that an inner region reads is fused away outside of it",
    "k50": "infinities, NaN and small numbers do not come back from the text",
    "k51": "the places of fused ops are lost",
    "k52": "where a sum is split into regions depends on the names of values",
    "k53": "outputs differ after optimisation and nothing says by which pass",
    # The compiler that this one descends from
    "k54": "a sum that is a result gets the activation of its reader",
    "k55": "a gated product drops a half that has another reader or is a result",
    "k56": "products of weights of other dtypes, or of weights that depend on each other, are joined, "
    "in an order that changes",
    "k57": "a residual norm drops its axis, and takes a residual that broadcasts",
    "k58": "a residual norm wants to be the only reader of the sum, so that blocks that norm first never fuse",
    "k59": "sizes that only a run knows end in a crash of the passes",
    # What a reader would fuse
    "f27": "a view between product and activation, or no bias, keeps the activation of a product outside",
    "f26": "the mask of an attention is data although it follows a rule, a scale before heads are split stays outside, "
    "weights that are asked for hide it",
    "f28": "pairs that are read side by side and written as halves are no rope, and half becomes a gated residual",
    "f29": "a residual norm takes the sum of the last adaptive norm, whose scale and shift stay four ops",
    "f30": "unrolled layers of a loop keep its counter, and a long loop carries its weights from round to round",
    "f31": "a norm of halves whose gain is `1 + w` in f32 takes no residual in",
    # Sizes of runs
    "f01": "dims of one name, or of two of which one is 1, are taken for equal, and memory of others is read",
    "f02": "inputs whose sizes do not fit each other give silent answers or end the process",
    # Models as they are
    "f20": "sums along an axis, sorts, scatters and gathers have no code for a target",
    "f23": "a mixture of experts is refused, or its experts are gathered, sorted and put back",
    "f24": "an op that public files hold has no rule, or its sizes must be known on import",
    "f25": "a pad or a window along an axis that only a run knows is refused",
    # Values at the edges
    "f03": "powers of negative numbers, and those with exponent 0, are NaN",
    "f04": "atan2 of zeros and infinities is NaN or has the wrong sign",
    "f05": "sine and cosine of large numbers lose their digits",
    "f08": "sinh, cosh, asinh and acosh overflow, or lose digits near 1, where their values are plain",
    "f09": "the exponential of complex numbers ends in invalid code of a backend",
    "f50": "an integer divided by zero ends the process, or gives what happens to be there",
    "f51": "the lowest integer divided by -1 ends the process",
    "f52": "powers of 0, 1, infinity and NaN are not those of C",
    "f53": "the remainder of floats with a large quotient is wrong",
    "f54": "an integer to a power from 64 on is 1",
    "f55": "NaN of 8 bits is read as a number",
    "f56": "a cast from f64 to a narrow float rounds twice",
    "f57": "a start of a slice loses its upper bits before it is clamped",
    "f58": "the greatest of a window of halves is refused by another compiler",
    "f59": "a constant without elements is refused by its library",
    "f60": "a scan over no entries is refused",
    "f61": "an attention without keys is NaN on one backend and 0 on the others",
    "f62": "a score that is NaN shows although its key is hidden",
    "f63": "the sum of a fused residual norm of halves overflows",
    "f64": "an operand that a kernel does not read leaves it without a binding",
    "f66": "powers, quotients and shifts of truth values end in errors of other compilers, as atan2 of integers does",
    "f67": "a float that no integer holds is another number on each backend",
    "f65": "the sign of zero is lost by sin, tan, log1p, expm1, mod, erf",
    # Weights, constants, donated buffers
    "f06": "a scale folded into the weights of a convolution of halves overflows, or is lost",
    "f07": "a scalar is hoisted as a result of the preparing function",
    "f10": "raising takes roundings away without a word, and nothing keeps them",
    "f11": "regions that read params alone are computed in every call",
    "f22": "a module that writes to an input is refused, and no result can take the place of one",
    "f21": "a mask that is computed from constants stays as ops that a backend may not have",
    # Words
    "f44": "xDSL's own tool does not take the option `from` of a pipeline",
    "f46": "what no GPU kernel holds is refused without a word, or in those of another tool",
    "f48": "dims, integer types and resources that MLIR has not are read where an op of another dialect has them",
    "f47": "StableHLO that `from=rlx` leaves as it is has no form, and nothing says why",
    "f49": "a PyTorch module or a JAX function in the place of a program ends in an attribute error",
    "f43": "the dialect as IRDL names a constraint twice in one choice, which newer MLIR refuses",
    "f42": "debug text is refused: names of locations after the module, ranges, metadata, places of arguments",
    "f40": "a dim that only a run knows is printed as a large negative number",
    "f41": "why something did not fuse is told under a hidden variable alone, and for models without a bias at length",
}
"""What goes wrong where the fault is present."""

_TEST = re.compile(r"^def test((?:_[kf]\d\d)+)_", re.MULTILINE)
_FUNCTION = re.compile(r"^func\.func @([kf]\d\d)_", re.MULTILINE)
_DTYPES = {"f16", "f32", "f64"}


def test_every_fault_has_a_test_and_every_id_a_row():
    found: set[str] = set()
    for path in TESTS.rglob("*"):
        if path.suffix in (".py", ".mlir"):
            pattern = _TEST if path.suffix == ".py" else _FUNCTION
            for names in pattern.findall(path.read_text(encoding="utf-8")):
                found |= {*re.findall(r"[kf]\d\d", names)}
    assert sorted(FAULTS.keys() - found) == []
    assert sorted(found - FAULTS.keys() - _DTYPES) == []
