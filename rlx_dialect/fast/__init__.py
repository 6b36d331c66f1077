"""
A parser, a printer and a verifier for any xDSL project that give what xDSL's own give, several times faster where a
program repeats itself.

    module = FastParser(context, text).parse_module()        # for Parser
    verify(module)                                           # for module.verify()
    FastPrinter(stream).print_op(module)                     # for Printer

The first op of a kind goes through xDSL; what came of it is a template for those that differ in the names of values
alone. A template may refuse, never decide: regions, successors, several results, forward references, aliases that are
defined, comments and ops over several lines go to xDSL, and so does every fault, so that messages are xDSL's own. A
parser of one's own is combined with `class Mine(FastParser, MyParser)`; where it gives locations to ops that have none
written, it says them once more in `location_at`; whatever else it does for each op is left out where a template is
used.

An op must be read from its text, the types of its operands and the dialects around it, and print from its class, types,
properties, attributes and the names of its values. Its verifier may ask for anything; where it asks for types,
properties and attributes alone, the class says so by `VERIFIES_LOCALLY: ClassVar[bool] = True`. Ops that are alike
share attribute objects, which xDSL forbids to change.
"""

from rlx_dialect.fast.parser import FastParser as FastParser
from rlx_dialect.fast.printer import FastPrinter as FastPrinter
from rlx_dialect.fast.verifier import verify as verify
