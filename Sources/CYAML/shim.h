#ifndef TRESTLE_CYAML_SHIM_H
#define TRESTLE_CYAML_SHIM_H

#include <yaml.h>

#endif
