#include "channel_descriptor.h"
