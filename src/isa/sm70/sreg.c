/* Names of the special registers. */
#include <stdio.h>
#include "isa/sm70/sm70.h"

/* clang-format off */
static const char *const names[256] = {
	[0] = "LANEID", [1] = "CLOCK", [2] = "VIRTCFG", [3] = "VIRTID",
	[15] = "ORDERING_TICKET", "PRIM_TYPE", "INVOCATION_ID", "Y_DIRECTION", "THREAD_KILL", "SHADER_TYPE",
	"DIRECTCBEWRITEADDRESSLOW", "DIRECTCBEWRITEADDRESSHIGH", "DIRECTCBEWRITEENABLED",
	"SW_SCRATCH", "MACHINE_ID_1", "MACHINE_ID_2", "MACHINE_ID_3", "AFFINITY", "INVOCATION_INFO",
	"WSCALEFACTOR_XY", "WSCALEFACTOR_Z", "TID", "TID.X", "TID.Y", "TID.Z", "36", "CTAID.X", "CTAID.Y",
	"CTAID.Z", "NTID", "CirQueueIncrMinusOne", "NLATC", "43", "SM_SPA_VERSION", "MULTIPASSSHADERINFO", "LWINHI",
	"SWINHI", "SWINLO", "SWINSZ", "SMEMSZ", "SMEMBANKS", "LWINLO", "LWINSZ", "LMEMLOSZ", "LMEMHIOFF",
	"EQMASK", "LTMASK", "LEMASK", "GTMASK", "GEMASK", "REGALLOC", "BARRIERALLOC", "63", "GLOBALERRORSTATUS",
	"CGAERRORSTATUS", "WARPERRORSTATUS", "VIRTUALSMID", "VIRTUALENGINEID",
	[80] = "CLOCKLO", "CLOCKHI", "GLOBALTIMERLO", "GLOBALTIMERHI", "ESR_PC", "ESR_PC_HI",
	[96] = "HWTASKID", "CIRCULARQUEUEENTRYINDEX", "CIRCULARQUEUEENTRYADDRESSLOW",
	"CIRCULARQUEUEENTRYADDRESSHIGH", "PM0", "PM_HI0", "PM1", "PM_HI1", "PM2", "PM_HI2", "PM3", "PM_HI3",
	"PM4", "PM_HI4", "PM5", "PM_HI5", "PM6", "PM_HI6", "PM7", "PM_HI7",
	"SNAP_PM0", "SNAP_PM_HI0", "SNAP_PM1", "SNAP_PM_HI1", "SNAP_PM2", "SNAP_PM_HI2", "SNAP_PM3",
	"SNAP_PM_HI3", "SNAP_PM4", "SNAP_PM_HI4", "SNAP_PM5", "SNAP_PM_HI5", "SNAP_PM6", "SNAP_PM_HI6",
	"SNAP_PM7", "SNAP_PM_HI7", "VARIABLE_RATE", "133", "WARPGROUP_INFO", "WARPGROUPID", "CgaCtaId",
	"GpcLocalCgaId", "138", "CTARegPoolSz",
};
/* clang-format on */

/* Registers that only some chips name. */
static const struct {
	uint8_t n, first, last;
	const char *name;
} some[] = {
	{20, 75, 255, "SM_SHADER_TYPE"},
	{24, 75, 79, "SR_MACHINE_ID_0"},
	{65, 75, 89, NULL},
	{133, 75, 255, "__HIR0X000"},
	{134, 75, 89, NULL},
	{134, 100, 255, NULL},
	{135, 75, 89, NULL},
	{135, 100, 255, NULL},
	{136, 75, 89, NULL},
	{137, 75, 89, NULL},
	{138, 100, 255, "SR_CgaSize"},
	{139, 75, 89, NULL},
	{141, 100, 255, "SR_TMemSz"},
	{142, 120, 255, "SR_CONTEXT_SAVE_ADDR_LO"},
	{143, 120, 255, "SR_CONTEXT_SAVE_ADDR_HI"},
	{255, 75, 255, "SRZ"},
};

const char *sm70_sreg_name(unsigned sm, unsigned n, char buf[40])
{
	const char *name = n < 256 ? names[n] : NULL;
	for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
		if (some[i].n != n || sm < some[i].first || sm > some[i].last)
			continue;
		if (some[i].name)
			return some[i].name;
		name = NULL;
	}
	if (name && (name[0] < '0' || name[0] > '9'))
		snprintf(buf, 40, "SR_%s", name);
	else
		snprintf(buf, 40, "SR%u", n);
	return buf;
}
