/* The words of PTX mnemonics, grouped into domains: each word sets one field of the decoded
 * instruction. opcodes.h explains how forms use them. */
#include "front/ptx/opcodes.h"

#include <string.h>

/* ORDER: none; a domain's first word is not a default. */
/* clang-format off */
static const struct word_value w_flag[] = {
	{"sat", M_SAT}, {"ftz", M_FTZ}, {"cc", M_CC}, {"approx", M_APPROX}, {"full", M_FULL},
	{"NaN", M_NAN}, {"xorsign", M_XORSIGN}, {"abs", M_ABS}, {"relu", M_RELU},
	{"satfinite", M_SATFINITE}, {"uni", M_UNI}, {"sync", M_SYNC}, {"volatile", M_VOLATILE},
	{"nc", M_NC}, {"noftz", M_NOFTZ}, {"to", M_TO}, {"shiftamt", M_SHIFTAMT}, {"trans", M_TRANS},
	{"po", M_PO}, {"oob", M_OOB}, {"aligned", M_ALIGNED}, {"mmio", M_MMIO}, {"noinc", M_NOINC},
	{"p", M_FORMATTED},
};
/* clang-format on */
static const struct word_value w_rnd[] = {
	{"rn", RND_RN},   {"rz", RND_RZ},   {"rm", RND_RM},   {"rp", RND_RP},   {"rna", RND_RNA},
	{"rni", RND_RNI}, {"rzi", RND_RZI}, {"rmi", RND_RMI}, {"rpi", RND_RPI},
};
static const struct word_value w_cmp[] = {
	{"eq", CMP_EQ},   {"ne", CMP_NE},   {"lt", CMP_LT},   {"le", CMP_LE},   {"gt", CMP_GT},
	{"ge", CMP_GE},   {"lo", CMP_LO},   {"ls", CMP_LS},   {"hi", CMP_HI},   {"hs", CMP_HS},
	{"equ", CMP_EQU}, {"neu", CMP_NEU}, {"ltu", CMP_LTU}, {"leu", CMP_LEU}, {"gtu", CMP_GTU},
	{"geu", CMP_GEU}, {"num", CMP_NUM}, {"nan", CMP_NAN},
};
static const struct word_value w_bop[] = {
	{"and", BOP_AND},
	{"or", BOP_OR},
	{"xor", BOP_XOR},
	{"popc", BOP_POPC},
};
static const struct word_value w_mul[] = {{"lo", MUL_LO}, {"hi", MUL_HI}, {"wide", MUL_WIDE}};
static const struct word_value w_wrap[] = {{"clamp", WM_CLAMP}, {"wrap", WM_WRAP}};
static const struct word_value w_shf_l[] = {{"clamp", SHF_L_CLAMP}, {"wrap", SHF_L_WRAP}};
static const struct word_value w_shf_r[] = {{"clamp", SHF_R_CLAMP}, {"wrap", SHF_R_WRAP}};
static const struct word_value w_prmt[] = {
	{"f4e", PRMT_F4E}, {"b4e", PRMT_B4E}, {"rc8", PRMT_RC8},
	{"ecl", PRMT_ECL}, {"ecr", PRMT_ECR}, {"rc16", PRMT_RC16},
};
static const struct word_value w_testp[] = {
	{"finite", TESTP_FINITE}, {"infinite", TESTP_INFINITE},
	{"number", TESTP_NUMBER}, {"notanumber", TESTP_NOTANUMBER},
	{"normal", TESTP_NORMAL}, {"subnormal", TESTP_SUBNORMAL},
};
static const struct word_value w_shfl[] = {
	{"up", SHFL_UP},
	{"down", SHFL_DOWN},
	{"bfly", SHFL_BFLY},
	{"idx", SHFL_IDX},
};
static const struct word_value w_vote[] = {
	{"all", VOTE_ALL},
	{"any", VOTE_ANY},
	{"uni", VOTE_UNI},
	{"ballot", VOTE_BALLOT},
};
static const struct word_value w_atom[] = {
	{"and", ATOM_AND},   {"or", ATOM_OR},   {"xor", ATOM_XOR}, {"cas", ATOM_CAS},
	{"exch", ATOM_EXCH}, {"add", ATOM_ADD}, {"inc", ATOM_INC}, {"dec", ATOM_DEC},
	{"min", ATOM_MIN},   {"max", ATOM_MAX},
};
static const struct word_value w_bar[] = {
	{"sync", BAR_SYNC},
	{"arrive", BAR_ARRIVE},
	{"red", BAR_RED},
};
static const struct word_value w_vsec[] = {{"add", VSEC_ADD}, {"min", VSEC_MIN}, {"max", VSEC_MAX}};
static const struct word_value w_vwrap[] = {{"clamp", M_CLAMP}, {"wrap", M_WRAP}};
static const struct word_value w_vscale[] = {{"shr7", 7}, {"shr15", 15}};
static const struct word_value w_vec[] = {{"v2", 2}, {"v4", 4}, {"v8", 8}};
/* A bank number, .const[3], is checked and dropped before the word is looked up. */
static const struct word_value w_space[] = {
	{"global", SP_GLOBAL},      {"shared", SP_SHARED},
	{"shared::cta", SP_SHARED}, {"shared::cluster", SP_SHARED},
	{"local", SP_LOCAL},        {"const", SP_CONST},
	{"param", SP_PARAM},        {"param::entry", SP_PARAM},
	{"param::func", SP_FRAME},
};
static const struct word_value w_mbspace[] = {
	{"shared", SP_SHARED},
	{"shared::cta", SP_SHARED},
	{"shared::cluster", SP_SHARED},
};
static const struct word_value w_scope[] = {
	{"cta", SCOPE_CTA}, {"cluster", SCOPE_CLUSTER}, {"gpu", SCOPE_GPU},
	{"sys", SCOPE_SYS}, {"gl", SCOPE_GPU},
};
static const struct word_value w_sem[] = {
	{"weak", SEM_WEAK},       {"relaxed", SEM_RELAXED}, {"acquire", SEM_ACQUIRE},
	{"release", SEM_RELEASE}, {"acq_rel", SEM_ACQ_REL}, {"sc", SEM_SC},
};
static const struct word_value w_cop[] = {
	{"ca", COP_CA}, {"cg", COP_CG}, {"cs", COP_CS}, {"lu", COP_LU},
	{"cv", COP_CV}, {"wb", COP_WB}, {"wt", COP_WT},
};
/* Eviction priorities and prefetch sizes, which have no effect on a program's results. */
static const struct word_value w_l1[] = {
	{"L1::evict_normal", 0}, {"L1::evict_unchanged", 0}, {"L1::evict_first", 0},
	{"L1::evict_last", 0},   {"L1::no_allocate", 0},
};
static const struct word_value w_l2[] = {
	{"L2::evict_normal", 0},
	{"L2::evict_first", 0},
	{"L2::evict_last", 0},
	{"L2::evict_unchanged", 0},
};
static const struct word_value w_l2second[] = {{"L2::evict_first", 0}, {"L2::evict_unchanged", 0}};
static const struct word_value w_l2fetch[] = {{"L2::64B", 0}, {"L2::128B", 0}, {"L2::256B", 0}};
static const struct word_value w_hint[] = {{"L2::cache_hint", 1}};
static const struct word_value w_level[] = {
	{"L1", 1},
	{"L2", 2},
	{"L2::evict_last", 2},
	{"L2::evict_normal", 2},
};
static const struct word_value w_geom[] = {
	{"1d", GEOM_1D},       {"2d", GEOM_2D},     {"3d", GEOM_3D},
	{"a1d", GEOM_A1D},     {"a2d", GEOM_A2D},   {"cube", GEOM_CUBE},
	{"acube", GEOM_ACUBE}, {"2dms", GEOM_2DMS}, {"a2dms", GEOM_A2DMS},
};
static const struct word_value w_texmode[] = {
	{"base", TEX_BASE},
	{"level", TEX_LEVEL},
	{"grad", TEX_GRAD},
};
static const struct word_value w_texcomp[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};
/* clang-format off */
static const struct word_value w_query[] = {
	{"width", Q_WIDTH}, {"height", Q_HEIGHT}, {"depth", Q_DEPTH},
	{"channel_data_type", Q_CHANNEL_TYPE}, {"channel_order", Q_CHANNEL_ORDER},
	{"normalized_coords", Q_NORMALIZED}, {"force_unnormalized_coords", Q_FORCE_UNNORMALIZED},
	{"filter_mode", Q_FILTER_MODE}, {"addr_mode_0", Q_ADDR_MODE_0}, {"addr_mode_1", Q_ADDR_MODE_1},
	{"addr_mode_2", Q_ADDR_MODE_2}, {"array_size", Q_ARRAY_SIZE},
	{"num_mipmap_levels", Q_NUM_MIPMAP}, {"num_samples", Q_NUM_SAMPLES},
	{"memory_layout", Q_MEMORY_LAYOUT},
};
/* clang-format on */
static const struct word_value w_suclamp[] = {
	{"trap", SU_TRAP}, {"clamp", SU_CLAMP}, {"zero", SU_ZERO}};
static const struct word_value w_shape[] = {
	{"m8n8k4", SHAPE_M8N8K4},       {"m8n8k16", SHAPE_M8N8K16},
	{"m8n8k32", SHAPE_M8N8K32},     {"m8n8k128", SHAPE_M8N8K128},
	{"m16n8k4", SHAPE_M16N8K4},     {"m16n8k8", SHAPE_M16N8K8},
	{"m16n8k16", SHAPE_M16N8K16},   {"m16n8k32", SHAPE_M16N8K32},
	{"m16n8k64", SHAPE_M16N8K64},   {"m16n8k128", SHAPE_M16N8K128},
	{"m16n8k256", SHAPE_M16N8K256}, {"m16n16k16", SHAPE_M16N16K16},
	{"m32n8k16", SHAPE_M32N8K16},   {"m8n32k16", SHAPE_M8N32K16},
	{"m16n16k8", SHAPE_M16N16K8},
};
/* N stands for 8, 16, ... 256; dec.columns holds the number that the program wrote. */
static const struct word_value w_wgshape[] = {
	{"m64nNk8", 0},  {"m64nNk16", 0},  {"m64nNk32", 0},
	{"m64nNk64", 0}, {"m64nNk256", 0}, {"m64nNk512", 0},
};
static const struct word_value w_tdim[] = {{"1d", 1}, {"2d", 2}, {"3d", 3}, {"4d", 4}, {"5d", 5}};
static const struct word_value w_tmode[] = {{"tile", 0}, {"im2col", 1}, {"im2col_no_offs", 1}};
static const struct word_value w_multicast[] = {{"multicast::cluster", CPF_MULTICAST}};
/* In the order of enum tensormap_field. */
static const struct word_value w_tmfield[] = {
	{"global_address", 0}, {"rank", 1},           {"box_dim", 2},  {"global_dim", 3},
	{"global_stride", 4},  {"element_stride", 5}, {"elemtype", 6}, {"interleave_layout", 7},
	{"swizzle_mode", 8},   {"fill_mode", 9},
};
static const struct word_value w_sparse[] = {{"sp", 0}, {"sp::ordered_metadata", 0}};
static const struct word_value w_acc[] = {{"acc::f32", 0}, {"acc::f16", 0}};
static const struct word_value w_mshape[] = {{"m8n8", SHAPE_M8N8}};
static const struct word_value w_mcount[] = {{"x1", 1}, {"x2", 2}, {"x4", 4}};
static const struct word_value w_layout_a[] = {{"row", 0}, {"col", M_COL_A}};
static const struct word_value w_layout_b[] = {{"row", 0}, {"col", M_COL_B}};
static const struct word_value w_layout_d[] = {{"row", 0}, {"col", M_COL_D}};
static const struct word_value w_mmpart[] = {{"a", MM_A}, {"b", MM_B}, {"c", MM_C}, {"d", MM_D}};
/* clang-format off */
static const struct word_value w_mbarrier[] = {
	{"init", MB_INIT}, {"inval", MB_INVAL}, {"arrive", MB_ARRIVE}, {"arrive_drop", MB_ARRIVE_DROP},
	{"test_wait", MB_TEST_WAIT}, {"try_wait", MB_TRY_WAIT}, {"expect_tx", MB_EXPECT_TX},
	{"complete_tx", MB_COMPLETE_TX}, {"pending_count", MB_PENDING_COUNT},
	{"mbarrier", MB_CP_ASYNC_ARRIVE},
};
/* clang-format on */
static const struct word_value w_mbflag[] = {
	{"noComplete", MBF_NOCOMPLETE},
	{"expect_tx", MBF_EXPECT_TX},
	{"parity", MBF_PARITY},
};
static const struct word_value w_cpw[] = {
	{"commit_group", CPW_COMMIT},
	{"wait_group", CPW_GROUP},
	{"wait_all", CPW_ALL},
};
static const struct word_value w_bulkread[] = {{"read", 0}};
/* MEMBAR.mode: 1 alias, 2 async; decode_fence() makes 3 of async for shared memory, 4 for global memory, and decode_fence_map() 5. */
static const struct word_value w_proxy[] = {{"alias", 1}, {"async", 2}};
static const struct word_value w_gridwait[] = {{"launch_dependents", 2}, {"wait", 3}};
static const struct word_value w_incdec[] = {{"inc", 0}, {"dec", 1}};

#define DOM(n, f)                                                                                  \
	{                                                                                          \
#n, FIELD_##f, w_##n, sizeof(w_##n) / sizeof(w_##n[0])                             \
	}
/* clang-format off */
const struct domain ptx_domain[] = {
	DOM(flag, MODS), DOM(rnd, RND), DOM(cmp, CMP), DOM(bop, BOP), DOM(mul, MODE),
	DOM(wrap, MODE), DOM(shf_l, MODE), DOM(shf_r, MODE), DOM(prmt, MODE), DOM(testp, MODE),
	DOM(shfl, MODE), DOM(vote, MODE), DOM(atom, MODE), DOM(bar, MODE), DOM(vsec, MODE),
	DOM(vwrap, MODS), DOM(vscale, MODE), DOM(vec, VEC), DOM(space, SPACE), DOM(mbspace, SPACE),
	DOM(scope, SCOPE), DOM(sem, SEM), DOM(cop, COP), DOM(l1, NONE), DOM(l2, NONE),
	DOM(l2second, NONE), DOM(l2fetch, NONE), DOM(hint, POLICY), DOM(level, MODE),
	DOM(geom, GEOM), DOM(texmode, MODE), DOM(texcomp, MODE), DOM(query, MODE),
	DOM(suclamp, MODE), {"suop", FIELD_SUOP, w_atom, sizeof(w_atom) / sizeof(w_atom[0])},
	DOM(shape, MODE), DOM(mshape, MODE), DOM(mcount, VEC), DOM(layout_a, MODS),
	DOM(layout_b, MODS), DOM(layout_d, MODS), DOM(mmpart, IMM), DOM(mbarrier, MODE),
	DOM(mbflag, IMM), DOM(cpw, MODE), DOM(bulkread, NONE), DOM(proxy, MODE), DOM(gridwait, MODE), DOM(incdec, MODE),
	DOM(wgshape, NONE), DOM(tdim, VEC), DOM(tmode, GEOM), DOM(multicast, IMM), DOM(tmfield, MODE), DOM(acc, NONE), DOM(sparse, NONE),
};
/* clang-format on */
const unsigned ptx_ndomain = sizeof(ptx_domain) / sizeof(ptx_domain[0]);

const struct domain *ptx_domain_find(const char *name, size_t len)
{
	for (unsigned i = 0; i < ptx_ndomain; i++)
		if (strlen(ptx_domain[i].name) == len && !memcmp(ptx_domain[i].name, name, len))
			return &ptx_domain[i];
	return NULL;
}
