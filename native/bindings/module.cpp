// The extension module. Only the files of this folder depend on Python: a binding checks its arguments, releases the
// interpreter lock and calls one kernel.
#include "module.hpp"

NB_MODULE(_native, m) {
    using namespace puretree::bindings;
    m.doc() = "Kernels in C++.";
    bind_tables(m);
    bind_growing(m);
    bind_graphs(m);
    bind_search(m);
    bind_local_search(m);
    bind_codes(m);
    bind_formulas(m);
    bind_front(m);
}
