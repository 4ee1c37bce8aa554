#!/bin/sh
# Measures (measure.sh), calibrates and predicts. Usage, from the root of the project: docs/studies/real-mpi/study.sh FOLDER
# What is in FOLDER already is not measured again: remove it to begin anew. Pages with measured beside predicted are
# FOLDER/*.html.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "${1:?usage: study.sh FOLDER}" && cd "$1" && pwd)
overlapsim=${OVERLAPSIM:-go run ./cmd/overlapsim}
[ -n "$(ls "$out"/*.csv 2>/dev/null)" ] || "$here/measure.sh" "$out"

# calibrated NAME OPTIONS...: the machine of the calls in NAME-*.csv, into NAME.yaml.
calibrated() {
	name=$1
	shift
	$overlapsim calibrate "$out/$name-isend.csv" "$out/$name-late.csv" "$out/$name-pingpong.csv" "$@" --out "$out/$name.yaml" >"$out/$name.txt"
}

# measured NAME: whether the calls of a machine were, all three.
measured() {
	for e in isend late pingpong; do
		[ -s "$out/$1-$e.csv" ] || { echo "skip $1: $e was not measured"; return 1; }
	done
}

# predicted NAME SET: the maps in NAME-*.csv beside the set's machine, which stands in FOLDER.
predicted() {
	ls "$out/$1"-sender.csv >/dev/null 2>&1 || { echo "skip $1: nothing was measured"; return; }
	{
		echo benchmark,bytes,compute_us,repeat,time_us
		for e in sender receiver both; do [ ! -s "$out/$1-$e.csv" ] || cat "$out/$1-$e.csv"; done
	} >"$out/$1.rows.csv"
	echo "$1"
	$overlapsim validate "$2" --rows "$out/$1.rows.csv" --machine "$out/$3.yaml" --html "$out/$1.html" | grep -A1 'median'
}

# with NAME FROM KEYS: a machine with another bucket.
with() { printf 'base: %s.yaml\nbucket: {%s}\n' "$2" "$3" >"$out/$1.yaml"; }

bucket='{rate: 1Gbit/s, depth: 16KiB, payload: 1448B, header: 99B, shared: all}'
for library in openmpi:openmpi-4.1-tcp mpich:mpich-4-ucx-tcp; do
	runtime=${library#*:} library=${library%%:*}
	if measured $library-shm; then
		calibrated $library-shm
		predicted $library-shm real-mpi-shm $library-shm
	fi
	measured $library-1gbit-16kb || continue
	calibrated $library-1gbit-16kb --runtime "$runtime" --bucket "$bucket"
	with $library-200mbit-16kb $library-1gbit-16kb "rate: 200Mbit/s"
	with $library-1gbit-256kb $library-1gbit-16kb "depth: 256KiB, header: 70B"
	for run in 1gbit-16kb 200mbit-16kb 1gbit-256kb; do predicted $library-$run real-mpi $library-$run; done
done
