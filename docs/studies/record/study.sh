#!/bin/sh
# Records programs at one rate of the network, simulates them at others, and measures them there. Usage, from the root of
# the project, as root: docs/studies/record/study.sh FOLDER
#
# Two ranks of this host exchange over TCP through a loopback with a token bucket (tc tbf, 16 KiB), as in
# docs/studies/real-mpi. The machine is loopback-openmpi of the library with the bucket's rate alone changed. A measured
# time is the median of REPEATS runs without the recorder. What cannot be done here is skipped with the reason.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "${1:?usage: study.sh FOLDER}" && cd "$1" && pwd)
overlapsim=${OVERLAPSIM:-go run ./cmd/overlapsim}
REPEATS=${REPEATS:-5} RATES=${RATES:-"1gbit 500mbit 200mbit 100mbit"}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

for need in mpicc.openmpi mpirun.openmpi tc ethtool unshare; do
	command -v $need >/dev/null || { echo "skip: $need is missing"; exit 0; }
done
why=$(unshare -n sh -c 'ip link set lo up && tc qdisc add dev lo root tbf rate 1gbit burst 16kb limit 20mb' 2>&1) ||
	{ echo "skip: no network namespace with a limit: $why"; exit 0; }
load=$(cut -d' ' -f1 /proc/loadavg)
[ -n "${FORCE:-}" ] || awk -v l="$load" 'BEGIN { exit !(l < 1) }' ||
	{ echo "skip: the host has a load of $load; two processes that poll need two free cores"; exit 0; }
mpicc.openmpi -O2 -w -o "$out/program" "$here/program.c" -lm

# limited RATE COMMAND...: runs a command in a namespace whose loopback is limited.
limited() {
	unshare -n sh -c 'ip link set lo mtu 1500 up && ethtool -K lo tso off gso off gro off >/dev/null &&
		tc qdisc add dev lo root tbf rate "$1" burst 16kb limit 20mb && shift && exec "$@"' limited "$@"
}
launch="mpirun.openmpi --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo --bind-to core -np 2"

# seconds are what a run prints: our programs nothing else, LAMMPS the time of its steps.
seconds() { awk '/^[0-9.]+$/ { print } /^Loop time/ { print $4 }'; }

# rate_of 200mbit is 200Mbit/s.
rate_of() { echo "$1" | sed 's/gbit/Gbit\/s/; s/mbit/Mbit\/s/'; }

# simulated NAME RATE: the makespan in seconds.
simulated() {
	$overlapsim run "$out/$1.trace" --machine loopback-openmpi --set machine.bucket.rate="$(rate_of "$2")" \
		--set fabric.kind=backlog --no-advice --json |
		sed -n 's/.*"makespan_s": *\([0-9.e+-]*\).*/\1/p' | head -1
}

printf '%-22s %-8s %10s %10s %10s %7s %7s\n' program rate least_s median_s predicted_s error load
while read -r name variant size steps; do
	run="$name-$variant"
	command="$out/program $name $variant $size $steps"
	if [ "$name" = lammps ]; then
		command -v lmp >/dev/null || { echo "skip $run: lmp is missing"; continue; }
		command="lmp -in $here/melt.in -log none"
	fi
	limited 1gbit timeout -s KILL 60 $overlapsim record -o "$out/$run.trace" -- $launch $command </dev/null >"$out/$run.txt" 2>&1 ||
		{ echo "skip $run: $(tail -1 "$out/$run.txt")"; continue; }
	for rate in $RATES; do
		for i in $(seq "$REPEATS"); do limited "$rate" timeout -s KILL 60 $launch $command </dev/null 2>/dev/null; done | seconds |
			sort -n >"$out/$run-$rate.txt"
		[ -s "$out/$run-$rate.txt" ] || { echo "skip $run at $rate: no run ended"; continue; }
		least=$(head -1 "$out/$run-$rate.txt") median=$(sed -n "$(((REPEATS + 1) / 2))p" "$out/$run-$rate.txt")
		predicted=$(simulated "$run" "$rate")
		awk -v run="$run" -v rate="$rate" -v m="$least" -v d="$median" -v p="$predicted" -v l="$(cut -d' ' -f1 /proc/loadavg)" \
			'BEGIN { printf "%-22s %-8s %10.4f %10.4f %10.4f %6.1f%% %7s\n", run, rate, m, d, p, 100 * (p / d - 1), l }'
	done
done <<PROGRAMS
stencil blocking 96 20
stencil overlapped 96 20
transpose blocking 256 10
transpose overlapped 256 10
cg blocking 200000 50
cg overlapped 200000 50
lammps melt 16 100
PROGRAMS
