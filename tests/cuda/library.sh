#!/bin/sh
# The C examples of docs/use/library.md: each is compiled against heddle.h and the library, without a warning, and prints what
# stands below it; as C++ the header compiles, too.
top=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$top/${B:-build}")
. "$(dirname "$0")/lib.sh"
if nm -D "$build/libcudart.so" | grep -q __asan_init; then
	echo "the library of this build needs a sanitizer's runtime"
	exit 77
fi
version=$(sed -n 's/^#define HEDDLE_VERSION "\(.*\)"/\1/p' "$top/include/heddle.h")
lib=$build/libheddle.so.$version
sets=$(cat "$build/gen/exec_sets")
make -s -C "$top" B="$build" EXEC_SETS="$([ "$sets" = baseline ] || echo "$sets")" "$lib" >log 2>&1 || fail "the library"
ln -s "$lib" "libheddle.so.${version%%.*}"
awk '/^```c$/ { n++; out = "example" n ".c"; next } /^```text$/ { out = "example" n ".want"; next } /^```/ { out = "" } out { print > out }' \
	"$top/docs/use/library.md"
n=0
for source in example*.c; do
	n=$((n + 1)) name=${source%.c}
	run 0 cc -std=c11 -Wall -Wextra -Werror -I"$top/include" "$source" -o "$name" "$lib"
	run 0 env LD_LIBRARY_PATH="$tmp" "./$name"
	cmp -s out "$name.want" || fail "$name prints $(cat out), the page $(cat "$name.want")"
done
[ $n = 3 ] || fail "$n examples, expected 3"
echo '#include <heddle.h>
int main() { return heddle_message(nullptr) == nullptr; }' >plus.cpp
run 0 c++ -Wall -Wextra -Werror -I"$top/include" -c plus.cpp -o plus.o
exit $bad
