# What the scripts beside it begin with: a folder of their own, the command, and how a failure is said.
#   . "$(dirname "$0")/lib.sh"      then: $heddle, $tmp (the folder at hand), $bad, fail, run, said, unsaid
export HEDDLE_CACHE= # no code of other runs
heddle=$(realpath "${HEDDLE:-${B:-build}/heddle}")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
bad=0
fail() { # WHAT: the beginning of `log` follows
	echo "FAIL $1"
	head -n 20 log | cut -c 1-200
	bad=1
}
run() { # STATUS COMMAND...: its stdout in `out`, its stderr in `log`
	want=$1
	shift
	"$@" >out 2>log
	status=$?
	[ $status = "$want" ] || fail "$*: status $status, not $want"
}
said() { grep -q -- "$1" log || fail "no word of: $1"; }
unsaid() { ! grep -q -- "$1" log || fail "said: $1"; }
