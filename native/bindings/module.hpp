// The parts of the module, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace puretree::bindings {

void bind_tables(nanobind::module_& m);
void bind_growing(nanobind::module_& m);
void bind_graphs(nanobind::module_& m);
void bind_search(nanobind::module_& m);
void bind_local_search(nanobind::module_& m);
void bind_codes(nanobind::module_& m);
void bind_formulas(nanobind::module_& m);
void bind_front(nanobind::module_& m);

}  // namespace puretree::bindings
