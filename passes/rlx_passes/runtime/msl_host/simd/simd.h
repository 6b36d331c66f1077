// Included by generated kernels; what they use of it stands in metal_stdlib.
#pragma once
