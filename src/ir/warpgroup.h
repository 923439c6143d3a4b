/* The barrier of a warp group (BAR with BAR_WARPGROUP): inst.vmask is the number of groups of products that may be in
 * flight after it. wgmma.wait_group and WARPGROUP.DEPBAR give it; wgmma.fence and WARPGROUP.ARRIVE leave all. */
#ifndef IR_WARPGROUP_H
#define IR_WARPGROUP_H

enum { WG_LEAVES_ALL = 255 };

#endif
