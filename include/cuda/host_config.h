#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__
#include "host_defines.h"
#include <features.h>
#endif
