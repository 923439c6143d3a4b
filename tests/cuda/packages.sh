#!/bin/sh
# The Debian packages: made of the build at hand, installed in a clean root, run there. LONG=1: built from the sources alone by
# dpkg-buildpackage, too, and the container where podman is.
top=$(realpath "$(dirname "$0")/../..")
build=$(realpath "$top/${B:-build}")
. "$(dirname "$0")/lib.sh"
for tool in dpkg-deb dpkg-gencontrol dpkg-shlibdeps; do
	command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
if nm -D "$build/libcudart.so" | grep -q __asan_init; then
	echo "packages are made of plain builds"
	exit 77
fi
# Flags of the command line, as debian/rules gives them, stand beside the tree's own.
(cd "$top" && make -n B="$tmp/none" EXEC_SETS= CPPFLAGS=-DX CFLAGS=-O1 "$tmp/none/cuda/device/device.o") >log 2>&1
grep -q -- ' -DX .*-Isrc .*-Iinclude/cuda .*-O1 .*-std=gnu17 .*-fno-optimize-sibling-calls' log || fail "make with flags"
# A tree of copies, and links to what is only compiled, so that the source tree stays as it is.
mkdir -p tree/heddle root
for f in "$top"/*; do
	case ${f##*/} in
	build* | dist) ;;
	src | tests | bench | cudalib) ln -s "$f" tree/heddle/ ;;
	*) cp -a "$f" tree/heddle/ ;; # with their times: what is built is not older
	esac
done
ln -s "$build" tree/heddle/build
# The objects are there; what is compiled with which options is not the packages' matter.
sets=$(cat "$build/gen/exec_sets")
make_args="EXEC_SETS='$([ "$sets" = baseline ] || echo "$sets")'"
(cd tree/heddle && DEB_BUILD_OPTIONS='nocheck nostrip' MAKE_ARGS="$make_args" make -f debian/rules binary) >log 2>&1 || fail "debian/rules binary"
for p in heddle libheddle0 libheddle-dev; do
	ls tree/${p}_*.deb >/dev/null 2>&1 || fail "no package $p"
done
version=$(sed -n 's/^#define HEDDLE_VERSION "\(.*\)"/\1/p' "$top/include/heddle.h")
[ "$(dpkg-deb -f tree/heddle_*.deb Version)" = "$version" ] || fail "the package's version is not $version: debian/changelog"
dpkg-deb -f tree/heddle_*.deb Depends | grep -q 'libc6\|libjansson' || fail "heddle depends on $(dpkg-deb -f tree/heddle_*.deb Depends)"
# Installed in a root that has nothing else.
mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info root/tmp
touch root/var/lib/dpkg/status
as_root=
[ "$(id -u)" = 0 ] || as_root=fakeroot
if command -v ${as_root:-true} >/dev/null; then
	$as_root dpkg --root="$tmp/root" --force-depends --force-not-root --log=/dev/null -i tree/*.deb >log 2>&1 || fail "dpkg -i"
	dpkg --root="$tmp/root" -l heddle 2>/dev/null | grep -q '^ii' || fail "heddle is not installed"
else
	for p in tree/*.deb; do dpkg-deb -x "$p" root; done
fi
for c in $("$heddle" help --complete bash | sed -n "s/.*compgen -W '--help --version \([^']*\)'.*/\1/p"); do
	[ -f "root/usr/share/man/man1/heddle-$c.1.gz" ] || fail "no manual page of heddle $c"
	grep -q "^	$c) options=" root/usr/share/bash-completion/completions/heddle || fail "no completion of heddle $c"
done
for f in usr/share/man/man1/heddle.1.gz usr/share/zsh/vendor-completions/_heddle usr/share/doc/heddle/changelog.gz usr/share/doc/heddle/copyright \
	usr/share/heddle/conf/gtx480.ini usr/share/heddle/src/sm/group.h usr/share/doc/heddle/docs/teaching/cache/starter.c usr/lib/heddle/libcudart.so \
	usr/include/heddle.h; do
	[ -e "root/$f" ] || fail "no $f in the packages"
done
# Run there: the libraries that it names are all that is added.
for f in root/usr/bin/heddle root/usr/lib/heddle/libcudart.so.11.0; do
	ldd "$f" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[ \t]*\(\/[^ ]*\) (.*/\1/p'
done | sort -u | while read -r f; do
	mkdir -p "root$(dirname "$f")" && cp -L "$f" "root$f"
done
# What finds its files from the program's place asks /proc, which a root without a system lacks.
mkdir -p root/proc/self && ln -s /usr/bin/heddle root/proc/self/exe
cat >root/tmp/k.ptx <<'PTX'
.version 6.0
.target sm_30
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d3, %d1, %d2;
	st.global.u32 [%d3], %r1;
	ret;
}
PTX
if chroot root /usr/bin/heddle --version >out 2>log || unshare -r chroot root /usr/bin/heddle --version >out 2>log; then
	in_root="chroot root"
	[ "$(id -u)" = 0 ] || in_root="unshare -r chroot root"
	grep -q "$version" out || fail "heddle --version says $(cat out)"
	$in_root /usr/bin/heddle run --config gtx480 /tmp/k.ptx --grid 1 --block 64 --out 256 /tmp/o.bin >out 2>log || fail "heddle run in the root"
	said 'cycles'
	[ "$(od -An -tu4 -j 252 root/tmp/o.bin | tr -d ' ')" = 63 ] || fail "another result in the root"
	$in_root /usr/bin/heddle config list >out 2>log || fail "heddle config list in the root"
	grep -q gtx480 out || fail "no machines in the root"
else
	echo "no chroot here: the packages were not run"
fi
# A program with a simulator in it.
cat >use.c <<'END'
#include <heddle.h>
#include <stdio.h>
int main(void)
{
	struct heddle *h;
	if (heddle_open(&h, NULL))
		return 1;
	struct heddle_device d;
	heddle_device(h, &d);
	printf("%u\n", d.warp_size);
	heddle_close(h);
	return 0;
}
END
lib=$(dirname "$(find root/usr/lib -name libheddle.a)")
run 0 cc -Iroot/usr/include use.c -o use -L"$lib" -lheddle
run 0 env LD_LIBRARY_PATH="$lib" ./use
[ "$(cat out)" = 32 ] || fail "a program on libheddle.so"
if [ "${LONG:-}" ]; then
	mkdir -p whole/heddle
	(cd "$top" && { git ls-files -z 2>/dev/null || find . -path './build*' -prune -o -type f -print0; } | xargs -0 cp -P --parents -t "$tmp/whole/heddle")
	(cd whole/heddle && DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc -b -d) >log 2>&1 || { tail -n 20 log; fail "dpkg-buildpackage"; }
	dpkg-deb -c whole/heddle_*.deb | awk '{ print $6 }' | sort >a
	dpkg-deb -c tree/heddle_*.deb | awk '{ print $6 }' | sort >b
	diff a b >log || fail "the packages of the sources have other files"
	if command -v podman >/dev/null; then
		run 0 podman build -q -t heddle-test -f "$top/Containerfile" whole/heddle
		run 0 podman run --rm heddle-test --version
	fi
fi
[ $bad = 0 ] && echo "packages: made, installed in a clean root, run there"
exit $bad
