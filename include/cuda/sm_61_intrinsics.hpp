#include "sm_61_intrinsics.h"
