#include "device_double_functions.h"
