package outputs

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A log of MPI calls: CSV of call, bytes, start and duration in s.

const callColumns = 4

const callsAre = "an experiment has 4 columns, and MPI_Isend alone, MPI_Recv alone, or an MPI_Send and an MPI_Recv in turn"

// isCalls tells whether the first line that is no comment has commas.
func isCalls(text []byte) bool {
	for l := range bytes.Lines(text) {
		if l = bytes.TrimSpace(l); len(l) > 0 && l[0] != '#' {
			_, headed := headingOf(string(l))
			return bytes.Count(l, []byte{','}) >= 2 && !headed
		}
	}
	return false
}

// call is a line of a log.
type call struct {
	name string
	Row
}

// whole returns a log without what follows its last complete pair of lines, if the last one is cut off.
func (f *file) whole(text string) string {
	end := strings.LastIndexByte(text, '\n') + 1
	last := text[end:]
	if last == "" || strings.Count(last, ",") >= callColumns-1 {
		return text
	}
	f.pass(strings.Count(text, "\n")+1, "the last line, which is cut off")
	before := strings.LastIndexByte(strings.TrimRight(text[:end], "\n"), '\n') + 1
	if strings.HasPrefix(text[before:], "MPI_Send") { // its MPI_Recv is what is cut off
		return text[:before]
	}
	return text[:end]
}

func (f *file) calls(text string) {
	in := csv.NewReader(strings.NewReader(text))
	in.FieldsPerRecord, in.ReuseRecord, in.Comment, in.TrimLeadingSpace = -1, true, '#', true
	names := map[string]string{} // one copy of each name
	var calls []call
	for first := true; !f.wrong.full(); first = false {
		record, err := in.Read()
		if err == io.EOF {
			break
		}
		number, _ := 0, 0
		if err == nil {
			number, _ = in.FieldPos(0)
		}
		switch wrong := (*csv.ParseError)(nil); {
		case errors.As(err, &wrong):
			f.wrong.add(wrong.Line, wrong.Column, "is not CSV: %v", wrong.Err)
			return
		case first && !strings.ContainsAny(strings.Join(record[1:], ""), "0123456789"):
			continue // a heading
		case len(calls) == 0 && len(f.wrong.list) == 0 && len(record) != callColumns:
			f.pass(number, "has %d columns; %s", len(record), callsAre)
			return
		}
		calls = append(calls, f.call(number, record, in.FieldPos, names))
	}
	if len(f.wrong.list) == 0 {
		f.experiment(calls)
	}
}

// call reads a line.
func (f *file) call(number int, record []string, position func(int) (int, int), names map[string]string) (c call) {
	c.Line = number
	if len(record) != callColumns {
		f.wrong.add(number, 1, "has %d columns; they are call, bytes, start and duration in s", len(record))
		return c
	}
	at := func(i int) field {
		_, column := position(i)
		return field{strings.TrimSpace(record[i]), column}
	}
	l := line{number: number}
	name := at(0).text
	if _, ok := names[name]; !ok {
		name = strings.Clone(name)
		names[name] = name
	}
	c.name, c.Bytes = names[name], f.size(l, at(1))
	if _, err := strconv.ParseFloat(at(2).text, 64); err != nil {
		f.wrong.add(number, at(2).column, "must be a time in s, got %s", at(2).text)
	}
	c.Seconds = f.seconds(l, at(3), 1)
	return c
}

// experiment makes the table that the calls of a file measure.
func (f *file) experiment(calls []call) {
	set := map[string]bool{}
	for _, c := range calls {
		set[c.name] = true
	}
	switch {
	case len(calls) == 0:
		f.seen = true
	case len(set) == 1 && set["MPI_Isend"]:
		f.alone(calls, Table{Name: "MPI_Isend", Test: Sends})
	case len(set) == 1 && set["MPI_Recv"]:
		f.alone(calls, Table{Name: "MPI_Recv", Test: LateRecvs})
	case len(set) == 2 && set["MPI_Send"] && set["MPI_Recv"]:
		f.pairs(calls)
	default:
		f.pass(calls[0].Line, "has %s; %s", strings.Join(slices.Sorted(maps.Keys(set)), ", "), callsAre)
	}
}

func (f *file) alone(calls []call, table Table) {
	t := f.begin(table)
	t.Rows = make([]Row, len(calls))
	for i, c := range calls {
		t.Rows[i] = c.Row
	}
}

// pairs is a ping-pong: half of the time of a send and the receive after it.
func (f *file) pairs(calls []call) {
	t := f.begin(Table{Name: "MPI_Send and MPI_Recv", Test: PingPong, Pairs: 1, Processes: 2})
	for i := 0; i < len(calls) && !f.wrong.full(); i += 2 {
		send := calls[i]
		if i+1 == len(calls) {
			f.wrong.add(send.Line, 1, "is an %s of %d B without the other call; an MPI_Send and its MPI_Recv come in turn", send.name, send.Bytes)
			return
		}
		receive := calls[i+1]
		if send.name != "MPI_Send" || receive.name != "MPI_Recv" || send.Bytes != receive.Bytes {
			f.wrong.add(send.Line, 1, "must be an MPI_Send, followed by the MPI_Recv of its answer, got %s of %d B and %s of %d B",
				send.name, send.Bytes, receive.name, receive.Bytes)
			continue
		}
		t.Rows = append(t.Rows, Row{Line: send.Line, Bytes: send.Bytes, Seconds: (send.Seconds + receive.Seconds) / 2})
	}
}
