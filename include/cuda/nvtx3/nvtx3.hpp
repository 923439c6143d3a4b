/* NVTX for C++: ranges, marks and their attributes, which nobody reads. */
#ifndef HEDDLE_NVTX3_HPP
#define HEDDLE_NVTX3_HPP
#include "nvToolsExt.h"

namespace nvtx3 {
struct rgb { rgb(int, int, int) {} };
struct argb { argb(int, int, int, int) {} };
struct color { template <class... __T> explicit color(const __T &...) {} };
struct category { explicit category(uint32_t) {} };
struct payload { template <class __T> explicit payload(const __T &) {} };
struct message { template <class... __T> message(const __T &...) {} };
struct domain { struct global {}; };
template <class __D = domain::global> struct named_category_in { template <class... __T> explicit named_category_in(const __T &...) {} };
template <class __D = domain::global> struct registered_string_in {
	template <class... __T> explicit registered_string_in(const __T &...) {}
	template <class __M> static const registered_string_in &get() { static const registered_string_in __s; return __s; }
};
using named_category = named_category_in<>;
using registered_string = registered_string_in<>;
struct event_attributes {
	template <class... __T> explicit event_attributes(const __T &...) {}
	const nvtxEventAttributes_t *get() const { return 0; }
};
template <class __D = domain::global> struct scoped_range_in {
	scoped_range_in() {}
	template <class... __T> explicit scoped_range_in(const __T &...) {}
	scoped_range_in(const scoped_range_in &) = delete;
	scoped_range_in &operator=(const scoped_range_in &) = delete;
	~scoped_range_in() {} /* a range that nobody names again is no unused variable */
};
template <class __D = domain::global> struct unique_range_in {
	unique_range_in() {}
	template <class... __T> explicit unique_range_in(const __T &...) {}
	unique_range_in(unique_range_in &&) {}
	~unique_range_in() {}
};
using scoped_range = scoped_range_in<>;
using thread_range = scoped_range;
using unique_range = unique_range_in<>;
struct range_handle {};
template <class __D = domain::global, class... __T> range_handle start_range_in(const __T &...) { return {}; }
template <class... __T> range_handle start_range(const __T &...) { return {}; }
template <class __D = domain::global> void end_range_in(range_handle) {}
inline void end_range(range_handle) {}
template <class __D = domain::global, class... __T> void mark_in(const __T &...) {}
template <class... __T> void mark(const __T &...) {}
}

#define NVTX3_FUNC_RANGE() ::nvtx3::scoped_range __nvtx3_range(__func__)
#define NVTX3_FUNC_RANGE_IN(__d) ::nvtx3::scoped_range_in<__d> __nvtx3_range(__func__)
#endif
