/* Classes of instructions by the energy of their units, and the coarser classes of reports. The pipeline
 * counts instructions, threads and register accesses by class (sm.ops and so on, in this order);
 * power/units.c turns them into energy.
 *
 * OPCLASS(name, reported class, pJ per thread at 40 nm and 0.96 V, what, where from) */
#ifndef POWER_OPCLASS_H
#define POWER_OPCLASS_H

#define POWER_CLASSES(X)                                                                           \
	X(int, "integer, logic, moves, conversions and compares")                                  \
	X(mul, "integer multiply")                                                                 \
	X(fp32, "f32 and f16 arithmetic")                                                          \
	X(fp64, "f64 arithmetic")                                                                  \
	X(sfu, "special functions and division")                                                   \
	X(mma, "matrix multiply")                                                                  \
	X(control, "branches, calls, returns; regrouping of threads")                              \
	X(shared, "shared memory")                                                                 \
	X(global, "global and local memory, including the memory system's "                        \
		  "work for them")                                                                 \
	X(const, "constant memory, likewise")                                                      \
	X(texture, "textures and surfaces, likewise")                                              \
	X(barrier, "barriers and fences")                                                          \
	X(shared_cost, "energy that belongs to no instruction: leakage, clocks, "                  \
		       "background, constant")
#define POWER_CLASS_ENUM_(name, help) CLASS_##name,
enum power_class { POWER_CLASSES(POWER_CLASS_ENUM_) CLASS_COUNT };
#undef POWER_CLASS_ENUM_

#define OPCLASSES(X)                                                                               \
	X(move, int, 1.5, "logic, shifts, moves, selects", "bounds: Horowitz, GPUWattch")          \
	X(int_add, int, 2.7, "integer add, subtract, minimum", "GPUWattch GTX480 2.69")            \
	X(int_mul, mul, 8, "integer multiply, multiply-add", "Horowitz 3.1 for the circuit")       \
	X(cvt, int, 3, "conversions, compares", "assumed")                                         \
	X(fp32_add, fp32, 6, "f32 add", "Horowitz 0.9 for the circuit, GPUWattch 26")              \
	X(fp32_mul, fp32, 10, "f32 multiply", "Horowitz 3.7 for the circuit")                      \
	X(fp32_fma, fp32, 13, "f32 fma", "assumed between circuit and GPUWattch")                  \
	X(sfu, sfu, 48, "special functions, division", "GPUWattch GTX480 48.4")                    \
	X(fp64_add, fp64, 25, "f64 add, minimum", "Malladi: half of an fma")                       \
	X(fp64_mul, fp64, 38, "f64 multiply", "as f32 multiply to fma")                            \
	X(fp64_fma, fp64, 50, "f64 fma", "Malladi")                                                \
	X(mma, mma, 0, "matrix multiply: by its products, sm.mma_products", "see mma_product")     \
	X(shuffle, int, 1.5, "shuffles and votes, crossbar apart", "as a move")                    \
	X(control, control, 1.5, "branches, calls, returns", "as a move")                          \
	X(shared, shared, 2.7, "addresses of shared memory", "an integer add")                     \
	X(global, global, 2.7, "addresses of global and local memory", "an integer add")           \
	X(const, const, 2.7, "addresses of constants", "an integer add")                           \
	X(texture, texture, 5.4, "coordinates of textures", "two integer adds")                    \
	X(barrier, barrier, 1.5, "barriers and fences", "as a move")
#define OPCLASS_ENUM_(name, report, pj, help, source) OPC_##name,
enum opclass { OPCLASSES(OPCLASS_ENUM_) OPC_COUNT };
#undef OPCLASS_ENUM_

#endif
