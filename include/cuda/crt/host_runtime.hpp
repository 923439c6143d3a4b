#include "host_runtime.h"
