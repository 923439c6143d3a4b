#include "sm_32_atomic_functions.h"
