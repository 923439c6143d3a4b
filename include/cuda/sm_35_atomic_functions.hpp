#include "sm_35_atomic_functions.h"
