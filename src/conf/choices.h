/* The words that options can be, each with its value in struct machine: X(VALUE, "word"). The first
 * lists are plain properties of machines; those of the last part exist to imitate GPGPU-Sim. */
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
#define DLOGIC(X) X(DLOGIC_UNIT, "unit") X(DLOGIC_ALU, "alu")
enum dlogic { DLOGIC(CHOICE_ENUM) };
#define PARAMS(X) X(PARAMS_OPERANDS, "operands") X(PARAMS_LOADS, "loads")
enum params { PARAMS(CHOICE_ENUM) };

/* ---- memory ---- */
#define SHARED_ATOMICS(X) X(ATOMICS_SERIAL, "serial") X(ATOMICS_PASS, "pass")
enum shared_atomics { SHARED_ATOMICS(CHOICE_ENUM) };
/* Read-only caches have only the first kinds. */
#define KINDS_READ(X)    X(KIND_OFF, "off") X(KIND_RO, "ro")
#define KINDS_WRITTEN(X) KINDS_READ(X) X(KIND_WB, "wb") X(KIND_WT, "wt") X(KIND_WE, "we")
enum cache_kind { KINDS_WRITTEN(CHOICE_ENUM) };
#define REPLACEMENT(X) X(REPLACE_LRU, "lru") X(REPLACE_FIFO, "fifo")
enum replacement { REPLACEMENT(CHOICE_ENUM) };
#define ALLOCATE(X)                                                                                \
	X(ALLOCATE_ON_MISS, "on-miss")                                                             \
	X(ALLOCATE_ON_FILL, "on-fill")                                                             \
	X(ALLOCATE_NO_WRITE, "no-write") X(ALLOCATE_FETCH_ON_WRITE, "fetch-on-write")
enum allocate { ALLOCATE(CHOICE_ENUM) };
#define SET_HASH(X) X(HASH_LINEAR, "linear") X(HASH_XOR, "xor") X(HASH_FERMI, "fermi")
enum set_hash { SET_HASH(CHOICE_ENUM) };
#define L1D_LOCAL(X) X(LOCAL_AS_GLOBAL, "as-global") X(LOCAL_KEEP, "keep")
enum l1d_local { L1D_LOCAL(CHOICE_ENUM) };
#define CONST_BY(X) X(CONST_ADDRESS, "address") X(CONST_LINE, "line")
enum const_by { CONST_BY(CHOICE_ENUM) };
#define SPREAD(X) X(SPREAD_LINEAR, "linear") X(SPREAD_XOR, "xor") X(SPREAD_MIX, "mix")
enum spread { SPREAD(CHOICE_ENUM) };
#define GROUP_BY(X) X(GROUP_BY_LOW, "low") X(GROUP_BY_HIGH, "high")
enum group_by { GROUP_BY(CHOICE_ENUM) };

/* ---- energy ---- */
#define RF_GATE(X) X(GATE_NONE, "none") X(GATE_PART, "part") X(GATE_LANE, "lane")
enum rf_gate { RF_GATE(CHOICE_ENUM) };
#define POWER_DATA(X) X(DATA_MEAN, "mean") X(DATA_COUNTED, "counted")
enum power_data { POWER_DATA(CHOICE_ENUM) };

/* ---- as GPGPU-Sim does it: the second word of each, for comparing with it ---- */
#define TURNS(X) X(TURNS_CLOCK, "clock") X(TURNS_BUSY, "busy")
enum turns { TURNS(CHOICE_ENUM) };
#define FETCH_FILL(X) X(FILL_ALL, "all") X(FILL_ONE, "one")
enum fetch_fill { FETCH_FILL(CHOICE_ENUM) };
#define REDIRECT(X) X(REDIRECT_AT_ONCE, "at-once") X(REDIRECT_BY_SCHEDULER, "by-scheduler")
enum redirect { REDIRECT(CHOICE_ENUM) };
#define REG_NUMBER(X) X(NUMBER_ROW, "row") X(NUMBER_NAME, "name")
enum reg_number { REG_NUMBER(CHOICE_ENUM) };
#define CODE_LAYOUT(X) X(CODE_APART, "apart") X(CODE_MODULE, "module")
enum code_layout { CODE_LAYOUT(CHOICE_ENUM) };
#define FENCE(X) X(FENCE_ALL, "all") X(FENCE_LOADS, "loads")
enum fence { FENCE(CHOICE_ENUM) };
#define ATOMIC_ADDRESS(X) X(ADDRESS_REGISTER, "register") X(ADDRESS_FREE, "free")
enum atomic_address { ATOMIC_ADDRESS(CHOICE_ENUM) };
#define LSU_ORDER(X) X(ORDER_LANE, "lane") X(ORDER_DOWN, "down")
enum lsu_order { LSU_ORDER(CHOICE_ENUM) };
#define LOCAL_MAP(X) X(LOCAL_BY_THREAD, "thread") X(LOCAL_BY_BLOCK, "block")
enum local_map { LOCAL_MAP(CHOICE_ENUM) };
#define SHARED_WIDE(X) X(WIDE_PARTS, "parts") X(WIDE_FIRST_WORD, "first-word")
enum shared_wide { SHARED_WIDE(CHOICE_ENUM) };
#define LAUNCH_DROPS(X) X(DROPS_DATA, "data") X(DROPS_L1D, "l1d")
enum launch_drops { LAUNCH_DROPS(CHOICE_ENUM) };
#define LOOKUP(X) X(LOOKUP_FIRST, "first") X(LOOKUP_LAST, "last")
enum lookup { LOOKUP(CHOICE_ENUM) };

#endif
