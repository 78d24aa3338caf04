// The module. The files of this folder alone know Python: they check shapes at the border, let go of the interpreter, and
// call one kernel.
#include "module.hpp"

NB_MODULE(_native, m) {
    using namespace puretree::bindings;
    m.doc() = "The hot kernels: bits in, bits out.";
    bind_tables(m);
    bind_growing(m);
    bind_graphs(m);
    bind_search(m);
    bind_local_search(m);
    bind_formulas(m);
}
