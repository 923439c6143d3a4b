/* The words that are allowed as values of options, each with its number in struct machine: X(VALUE,
 * "word"). The parser, the enumerations and the manual follow from these lists; options are in
 * conf/options.def. */
#ifndef CONF_CHOICES_H
#define CONF_CHOICES_H
#include "conf/option.h"

/* ---- registers and instructions ---- */
#define SCALARS(X) X(SCALARS_NO, "no") X(SCALARS_ALL, "all") X(SCALARS_CONVERGENT, "convergent")
enum scalars { SCALARS(CHOICE_ENUM) };
#define ALLOCATION(X) X(REGS_VIRTUAL, "virtual") X(REGS_ALLOCATED, "allocated")
enum reg_allocation { ALLOCATION(CHOICE_ENUM) };
#define ESTIMATE(X) X(ESTIMATE_LIVE, "live") X(ESTIMATE_SCHEDULED, "scheduled")
enum estimate { ESTIMATE(CHOICE_ENUM) };
#define REG_GRAIN(X) X(GRAIN_WARP, "warp") X(GRAIN_THREAD, "thread")
enum reg_grain { REG_GRAIN(CHOICE_ENUM) };

/* ---- memory ---- */
/* the first kinds; read-only caches allow only these */
#define KINDS_READ(X)    X(KIND_OFF, "off") X(KIND_RO, "ro")
#define KINDS_WRITTEN(X) KINDS_READ(X) X(KIND_WB, "wb") X(KIND_WT, "wt") X(KIND_WE, "we")
enum cache_kind { KINDS_WRITTEN(CHOICE_ENUM) };
#define ALLOCATE(X)                                                                                \
	X(ALLOCATE_ON_MISS, "on-miss")                                                             \
	X(ALLOCATE_ON_FILL, "on-fill")                                                             \
	X(ALLOCATE_NO_WRITE, "no-write") X(ALLOCATE_FETCH_ON_WRITE, "fetch-on-write")
enum allocate { ALLOCATE(CHOICE_ENUM) };
#define SET_HASH(X) X(HASH_LINEAR, "linear") X(HASH_XOR, "xor") X(HASH_FERMI, "fermi")
enum set_hash { SET_HASH(CHOICE_ENUM) };
#define L1D_LOCAL(X) X(LOCAL_AS_GLOBAL, "as-global") X(LOCAL_KEEP, "keep")
enum l1d_local { L1D_LOCAL(CHOICE_ENUM) };
#define SPREAD(X) X(SPREAD_LINEAR, "linear") X(SPREAD_XOR, "xor") X(SPREAD_MIX, "mix")
enum spread { SPREAD(CHOICE_ENUM) };
#define REFRESH(X) X(REFRESH_ALL, "all") X(REFRESH_BANK, "bank")
enum refresh { REFRESH(CHOICE_ENUM) };
#define GROUP_BY(X) X(GROUP_BY_LOW, "low") X(GROUP_BY_HIGH, "high")
enum group_by { GROUP_BY(CHOICE_ENUM) };

/* ---- energy ---- */
#define RF_GATE(X) X(GATE_NONE, "none") X(GATE_PART, "part") X(GATE_LANE, "lane")
enum rf_gate { RF_GATE(CHOICE_ENUM) };
#define POWER_DATA(X) X(DATA_MEAN, "mean") X(DATA_COUNTED, "counted")
enum power_data { POWER_DATA(CHOICE_ENUM) };

#endif
