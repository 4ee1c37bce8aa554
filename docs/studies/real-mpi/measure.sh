#!/bin/sh
# Measures Open MPI and MPICH between two processes of this host: over TCP behind a token bucket, and over shared
# memory. Usage: measure.sh FOLDER [RUN...]; a RUN is named as its file is, such as openmpi-1gbit-16kb-sender.
#
# TCP goes through the loopback of a network namespace of its own: MTU 1500, no segmentation offload, limited by
# tc's tbf. Both processes poll, so they need two cores; with other work on the host they need real-time priority, for
# which chrt is used where it is allowed. Each run ends after LIMIT seconds whatever happens (the processes have an
# alarm), and PAUSE seconds pass before the next one, so that others get the cores.
#
# The same command takes other times in another process, by up to a factor of two: each run is done by PASSES processes, one pass
# of all runs after the other. Of single calls the least of each size is kept, of the rest the least of each process.
#
# What cannot be measured here is skipped, with the reason.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: measure.sh FOLDER [RUN...]}
shift
only=" $* "
LIMIT=${LIMIT:-24} PAUSE=${PAUSE:-5} PASSES=${PASSES:-7}
mkdir -p "$out"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

say() { echo "$*" >&2; }

urgent=
if chrt -r 10 true 2>/dev/null; then urgent="chrt -r 10"; else say "no real-time priority: measure where nothing else runs"; fi

namespaces() {
	[ -n "${checked:-}" ] && return "$refused"
	checked=1 refused=1
	command -v tc >/dev/null && command -v ethtool >/dev/null || { say "skip TCP: tc (iproute2) or ethtool is missing"; return 1; }
	why=$(unshare -n sh -c 'ip link set lo up && tc qdisc add dev lo root tbf rate 1gbit burst 16kb limit 20mb' 2>&1) ||
		{ say "skip TCP: no network namespace with a limit: $why"; return 1; }
	refused=0
}

# limited RATE BURST COMMAND...: runs a command in a namespace whose loopback is limited.
limited() {
	unshare -n sh -c '
		ip link set lo mtu 1500 up && ethtool -K lo tso off gso off gro off >/dev/null &&
			tc qdisc add dev lo root tbf rate "$1" burst "$2" limit 20mb && shift 2 && exec "$@"' limited "$@"
}

# sizes FIRST LAST FACTOR: sizes that grow by a factor.
sizes() { awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN { for (x = a; x <= b; x *= f) if (int(x) != last) { last = int(x); print last } }'; }
list() { sort -n | uniq | paste -sd, -; }

program() {
	case $1 in
	openmpi-tcp) echo "mpirun.openmpi --allow-run-as-root --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo --bind-to core -np 2" ;;
	openmpi-shm) echo "mpirun.openmpi --allow-run-as-root --mca btl vader,self --mca pml ob1 --bind-to core -np 2" ;;
	mpich-tcp) echo "env UCX_TLS=tcp,self UCX_NET_DEVICES=lo mpiexec.mpich -bind-to core -np 2" ;;
	mpich-shm) echo "mpiexec.mpich -bind-to core -np 2" ;;
	esac
}

# least FILE NAME: the least of each call and size; of a map, of each point and process. Both calls of a ping-pong are one line here.
least() {
	awk -F, -v OFS=, -v pass="$pass" -v map="$(case $2 in *-isend | *-late | *-pingpong) echo 0 ;; *) echo 1 ;; esac)" '
		map && NF == 5 { if (FILENAME !~ /all$/) $4 = pass; point = $1 OFS $2 OFS $3 OFS $4; time = $5 }
		!map && /^MPI_Send/ { first = $0 "\n"; sent = $4; next }
		!map { point = $2; time = sent + $4 }
		!(point in best) { order[++n] = point }
		!(point in best) || time < best[point] { best[point] = time; lines[point] = first $0 }
		END { for (i = 1; i <= n; i++) print lines[order[i]] }' "$1"
}

# bench NAME LIBRARY WAY [RATE BURST] EXPERIMENT QUIET_S RATE_Bps REPEATS SIZES COMPUTE: one run, into NAME.csv.
bench() {
	name=$1 library=$2 way=$3
	shift 3
	case $only in "  " | *" $name "*) ;; *) return ;; esac
	before=
	if [ "$way" = tcp ]; then
		before="limited $1 $2"
		shift 2
	fi
	experiment=$1
	shift
	$before $urgent timeout -s KILL $((LIMIT + 3)) $(program "$library-$way") "$build/$library" "$experiment" "$LIMIT" "$@" \
		>"$build/rows" 2>"$build/errors"
	status=$?
	grep -E '^[A-Za-z_]+(,[0-9.-]+){3,4}$' "$build/rows" >"$build/whole" # mpiexec may print, too
	if [ -s "$build/whole" ]; then
		least "$build/whole" "$name" >>"$build/$name.all"
		least "$build/$name.all" "$name" >"$out/$name.csv"
		say "$name: $(wc -l <"$build/whole") lines, status $status, load $(cut -d' ' -f1 /proc/loadavg)"
	else
		say "skip $name: status $status: $(tail -1 "$build/errors")"
	fi
	sleep "$PAUSE"
}

calls=$({ sizes 1 4194304 1.28; sizes 20000 300000 1.1; echo 65536; } | list)
inside=$({ sizes 1 4194304 1.28; sizes 2000 4194304 1.12; } | list)
map=1024,8192,32768,65536,65537,131072,262144,524288,1048576,2097152,4194304

for pass in $(seq 0 $((PASSES - 1))); do
	for library in openmpi mpich; do
		command -v mpicc.$library >/dev/null || { say "skip $library: mpicc.$library is missing (Debian: lib$library-dev)"; continue; }
		mpicc.$library -O2 -o "$build/$library" "$here/bench.c" || exit 1
		for e in isend late pingpong; do bench $library-shm-$e $library shm $e 0.00001 1e10 3 "$inside" 0; done
		for e in sender receiver both; do bench $library-shm-$e $library shm $e 0.00001 1e10 3 $map 5,20,100,500,2000; done
		namespaces || continue
		for e in isend late pingpong; do
			bench $library-1gbit-16kb-$e $library tcp 1gbit 16kb $e 0.002 125e6 3 "$calls" 0
			bench $library-1gbit-256kb-$e $library tcp 1gbit 256kb $e 0.004 125e6 3 "$calls" 0
		done
		for e in sender receiver both; do
			bench $library-1gbit-16kb-$e $library tcp 1gbit 16kb $e 0.002 125e6 3 $map 20,200,1000,3000,10000,30000
			bench $library-200mbit-16kb-$e $library tcp 200mbit 16kb $e 0.004 25e6 2 $map 20,1000,10000,30000,100000
			bench $library-1gbit-256kb-$e $library tcp 1gbit 256kb $e 0.004 125e6 3 $map 20,1000,10000
		done
	done
done
