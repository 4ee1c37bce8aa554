#!/bin/sh
# Records programs at one rate of the network, simulates them at others, and measures them there. Usage, from the root of
# the project, as root: docs/studies/record/study.sh FOLDER
#
# Two ranks of this host exchange over TCP through a loopback with a token bucket (tc tbf, 16 KiB), as in
# docs/studies/real-mpi. The machine is loopback-openmpi of the library with the bucket's rate alone changed. A measured
# time is the median of REPEATS runs without the recorder. What cannot be done here is skipped with the reason. Beside the
# table it writes a data set into the folder: 'overlapsim validate FOLDER/recorded.yaml' says how far predictions are from
# each run, the recorded ones too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "${1:?usage: study.sh FOLDER}" && cd "$1" && pwd)
overlapsim=${OVERLAPSIM:-$out/overlapsim}
[ -n "${OVERLAPSIM:-}" ] || go build -o "$overlapsim" ./cmd/overlapsim
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
mkdir -p "$out/input"

launch="mpirun.openmpi --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo --bind-to core -np 2"

# timed SAID COMMAND...: the seconds of a run in the folder of its input, whose output goes to a file. Our programs print
# nothing else, LAMMPS the time of its steps; of HPC Challenge, which prints none, they are those of the command less those
# of one that does nothing.
timed() {
	said=$1 && shift
	begin=$(date +%s%N)
	(cd "$out/input" && timeout -s KILL 300 "$@" </dev/null >"$said" 2>&1) || return 1
	if [ "$name" = hpcc ]; then
		echo "$begin $(date +%s%N) $idle" | awk '{ printf "%.6f\n", ($2 - $1) / 1e9 - $3 }'
	else
		awk '/^[0-9.]+$/ { print } /^Loop time/ { print $4 }' "$said"
	fi
}

# limited RATE COMMAND... runs a command in a namespace whose loopback is limited.
cat >"$out/limited" <<'LIMITED'
#!/bin/sh
exec unshare -n sh -c 'ip link set lo mtu 1500 up && ethtool -K lo tso off gso off gro off >/dev/null &&
	tc qdisc add dev lo root tbf rate "$1" burst 16kb limit 20mb && shift && exec "$@"' limited "$@"
LIMITED
chmod +x "$out/limited"

# rate_of 200mbit is 200Mbit/s.
rate_of() { echo "$1" | sed 's/gbit/Gbit\/s/; s/mbit/Mbit\/s/'; }

# simulated NAME RATE: the makespan in seconds.
simulated() {
	$overlapsim run "$out/$1.trace" --machine loopback-openmpi --set machine.bucket.rate="$(rate_of "$2")" \
		--set fabric.kind=backlog --no-advice --json |
		sed -n 's/.*"makespan_s": *\([0-9.e+-]*\).*/\1/p' | head -1
}

# The data set: a row is a run, the recorded one too, whose time is that of the program with the recorder.
cp "$here/recorded.yaml" "$out/recorded.yaml"
echo program,run,rate,recorded_s,seconds,trace >"$out/recorded.csv"
printf '%-22s %-8s %10s %10s %10s %7s %7s\n' program rate least_s median_s predicted_s error load
name=
for i in 1 2 3 4 5; do
	begin=$(date +%s%N)
	"$out/limited" 1gbit timeout -s KILL 60 $launch "$out/program" cg blocking 1 0 >/dev/null 2>&1 </dev/null || continue
	echo "$begin $(date +%s%N)"
done | awk '{ s = ($2 - $1) / 1e9; if (NR == 1 || s < least) least = s } END { printf "%.6f\n", least }' >"$out/idle.txt"
idle=$(cat "$out/idle.txt")
while read -r name variant size steps; do
	run="$name-$variant" repeats=$REPEATS
	case $name in
	lammps) need=lmp command="lmp -in $here/melt.in -log none" ;;
	hpcc) need=hpcc command=hpcc repeats=1 ;; # it moves 1.5 GiB, which takes two minutes at 100 Mbit/s
	*) need="$out/program" command="$out/program $name $variant $size $steps" ;;
	esac
	command -v "$need" >/dev/null || { echo "skip $run: $need is missing"; continue; }
	[ "$name" != hpcc ] || # N and the grid of processes
		sed "6s/^[0-9]*/$size/; 11s/^[0-9]*/1/; 12s/^[0-9]*/2/" /usr/share/doc/hpcc/examples/_hpccinf.txt >"$out/input/hpccinf.txt"
	recorded=$(timed "$out/$run.txt" "$out/limited" 1gbit $overlapsim record -o "$out/$run.trace" -- $launch $command | head -1)
	[ -n "$recorded" ] || { echo "skip $run: $(tail -1 "$out/$run.txt")"; continue; }
	echo "$run,recorded,1Gbit/s,$recorded,$recorded,$run.trace" >>"$out/recorded.csv"
	for rate in $RATES; do
		for i in $(seq "$repeats"); do timed "$out/said.txt" "$out/limited" "$rate" $launch $command || true; done |
			sort -n >"$out/$run-$rate.txt"
		[ -s "$out/$run-$rate.txt" ] || { echo "skip $run at $rate: no run ended"; continue; }
		awk -v p="$run" -v rate="$(rate_of "$rate")" -v r="$recorded" '{ print p ",alone," rate "," r "," $1 "," p ".trace" }' \
			"$out/$run-$rate.txt" >>"$out/recorded.csv"
		least=$(head -1 "$out/$run-$rate.txt") median=$(sed -n "$(((repeats + 1) / 2))p" "$out/$run-$rate.txt")
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
hpcc all 400 0
PROGRAMS
