package calibrate

import (
	"os"
	"strings"
	"testing"
)

func TestReadMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"":                                   "m.csv: has no lines; they are call, bytes, start and duration in s",
		"call,bytes,start,duration\n":        "m.csv: has no lines; they are call, bytes, start and duration in s",
		"MPI_Isend,1,0,1\nMPI_Isend,1,0.1\n": "m.csv:2: has 3 columns; they are call, bytes, start and duration in s",
		"MPI_Isend,1,0.1\n": "Isend CPU time: at least 24 message sizes are needed, got 0; give files with MPI_Isend alone\n" +
			"late receive: at least 24 message sizes are needed, got 0; give files with MPI_Recv alone\n" +
			"one-way time: at least 24 message sizes are needed, got 0; give files with an MPI_Send and an MPI_Recv in turn\n" +
			"m.csv: passed over, as it has 3 columns; an experiment has 4 columns, and MPI_Isend alone, MPI_Recv alone, or an MPI_Send and an " +
			"MPI_Recv in turn",
		"MPI_Isend,1,0,1e-6\nMPI_Isend,x,0,1": "m.csv:2: column 2 must be a number of bytes, got x",
		"MPI_Isend,1,0,fast\n":                "m.csv:1: column 4 must be a time in s, got fast",
		"MPI_Isend,1,0,NaN\n":                 "m.csv:1: column 4 must be a time in s, got NaN",
		"MPI_Isend,1,0,-1\n":                  "m.csv:1: column 4 must not be a negative duration, got -1",
		"MPI_Send,1,0,1\nMPI_Recv,2,0,1\n": "m.csv: lines 1 and 2 of data must be an MPI_Send and its MPI_Recv, got MPI_Send " +
			"of 1 B and MPI_Recv of 2 B",
		"MPI_Send,1,0,1\nMPI_Recv,1,0,1\nMPI_Send,1,0,1\n": "m.csv: has an odd number of lines; an MPI_Send and its MPI_Recv come in turn",
		"0,MPI_Alltoall,4000,1,1\n": "Isend CPU time: at least 24 message sizes are needed, got 0; give files with MPI_Isend alone\n" +
			"late receive: at least 24 message sizes are needed, got 0; give files with MPI_Recv alone\n" +
			"one-way time: at least 24 message sizes are needed, got 0; give files with an MPI_Send and an MPI_Recv in turn\n" +
			"m.csv: passed over, as it has 5 columns; an experiment has 4 columns, and MPI_Isend alone, MPI_Recv alone, or an MPI_Send and an " +
			"MPI_Recv in turn",
		"MPI_Bcast,1,0,1\n": "Isend CPU time: at least 24 message sizes are needed, got 0; give files with MPI_Isend alone\n" +
			"late receive: at least 24 message sizes are needed, got 0; give files with MPI_Recv alone\n" +
			"one-way time: at least 24 message sizes are needed, got 0; give files with an MPI_Send and an MPI_Recv in turn\n" +
			"m.csv: passed over, as it has MPI_Bcast; an experiment has 4 columns, and MPI_Isend alone, MPI_Recv alone, or an MPI_Send and an " +
			"MPI_Recv in turn",
		"MPI_Isend,1,0,1\n": "Isend CPU time: at least 24 message sizes are needed, got 1; give files with MPI_Isend alone\n" +
			"late receive: at least 24 message sizes are needed, got 0; give files with MPI_Recv alone\n" +
			"one-way time: at least 24 message sizes are needed, got 0; give files with an MPI_Send and an MPI_Recv in turn",
	} {
		if err := os.WriteFile("m.csv", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read([]string{"m.csv"}); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := Read([]string{"gone.csv", "neither.csv"}); err == nil || strings.Count(err.Error(), "no such file") != 2 {
		t.Errorf("got %v", err)
	}
}

// A heading is skipped, and the samples of a size are collected in any order.
func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("m.csv",
		[]byte("call, bytes, start, duration\nMPI_Isend, 8, 0, 3e-6\nMPI_Isend, 4, 1, 1e-6\nMPI_Isend, 8, 2, 6e-6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := &Data{}
	d.Samples[SendCPU] = Samples{}
	if err := d.read("m.csv"); err != nil {
		t.Fatal(err)
	}
	if got := d.Samples[SendCPU].Medians(); len(got) != 2 || got[0] != (Point{Bytes: 4, Seconds: 1e-6}) ||
		got[1] != (Point{Bytes: 8, Seconds: 4.5e-6}) {
		t.Errorf("got %v", got)
	}
}
