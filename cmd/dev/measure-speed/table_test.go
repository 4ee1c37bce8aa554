package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The median of an even number of times is the mean of the two in the middle; each of wall and
// CPU time has its own.
func TestMedian(t *testing.T) {
	if got := median([]cost{{3, 10, 0}, {1, 40, 0}, {2, 20, 0}}); got != (cost{2, 20, 0}) {
		t.Errorf("the median of three is %v", got)
	}
	if got := median([]cost{{1, 4, 0}, {2, 2, 0}}); got != (cost{1.5, 3, 0}) {
		t.Errorf("the median of two is %v", got)
	}
}

// A row says how many times as fast we are.
func TestTable(t *testing.T) {
	g := group{title: "replays", peer: "Peer"}
	got := g.table([]row{
		{work{name: "a", messages: 1_234_567}, cost{cpu: 0.5, wall: 0.25}, cost{cpu: 2, wall: 3}},
		{work{name: "b", messages: 100}, cost{cpu: 123.4, wall: 200}, cost{}},
	})
	want := `### replays

| | messages | CPU, s | wall, s | messages/CPU s | Peer: CPU, s | wall, s | times, CPU | wall |
|---|---|---|---|---|---|---|---|---|
| a | 1,234,567 | 0.5 | 0.25 | 2.5 M | 2 | 3 | 4 | 12 |
| b | 100 | 123 | 200 | 0.81 | - | - | - | - |

`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if g.table(nil) != "" {
		t.Error("a table without rows is written")
	}
}

// The peer gets the same schedule, as text, and runs what its first program makes of it.
func TestPeer(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nset -e\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("overlapsim", "case $1 in export) echo schedule > $4 ;; replay) "+
		"if grep -q num_ranks $2; then echo '\"messages\": 10240'; else grep -q schedule $2; echo '\"messages\": 102400'; fi ;; esac\n")
	write("txt2bin", "tr a-z A-Z < $2 > $4\n")
	write("LogGOPSim", "grep -q -e SCHEDULE -e NUM_RANKS $2\n")
	b := &bench{options: &options{times: 2, only: regexp.MustCompile("token|dissemination, 1,024"), loggopsim: dir}, work: dir, program: filepath.Join(dir, "overlapsim")}
	for _, g := range groups {
		if g.peer != "LogGOPSim" {
			continue
		}
		rows, err := b.measure(g)
		if err != nil || len(rows) != 1 || rows[0].theirs.wall == 0 || rows[0].ours.wall == 0 {
			t.Fatalf("%v %+v", err, rows)
		}
	}
	write("overlapsim", "case $1 in export) echo schedule > $4 ;; replay) echo '\"messages\": 102401' ;; esac\n")
	for _, g := range groups {
		if _, err := b.measure(g); g.peer == "LogGOPSim" && (err == nil || !strings.Contains(err.Error(), "102401 messages, not 10240")) {
			t.Errorf("another number of messages: %v", err)
		}
	}
	write("overlapsim", "case $1 in export) echo schedule > $4 ;; esac\n")
	write("LogGOPSim", "exit 3\n")
	for _, g := range groups {
		if _, err := b.measure(g); g.peer == "LogGOPSim" && (err == nil || !strings.Contains(err.Error(), "LogGOPSim -f")) {
			t.Errorf("a peer that fails: %v", err)
		}
	}
}
