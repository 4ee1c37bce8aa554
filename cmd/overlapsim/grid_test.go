package main

import (
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	var out strings.Builder
	if err := grid(&out, [][]string{{"", "makespan", "µ"}, {"Slabs", "1 s", "1000"}, {"Pencils", "10 s"}}, 1); err != nil {
		t.Fatal(err)
	}
	want := "         makespan     µ\nSlabs         1 s  1000\nPencils      10 s\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0 s":       seconds(0),
		"1.500 ps":  seconds(1.5e-12),
		"4.500 us":  seconds(4.5e-6),
		"144.5 ms":  seconds(0.14453),
		"1.000 s":   seconds(0.99996),
		"12.35 s":   seconds(12.346),
		"200000 s":  seconds(2e5),
		"-3.000 ms": seconds(-3e-3),
		"33.3 %":    percent(1, 3),
		"-":         percent(1, 0),
		"0":         count(0),
		"999":       count(999),
		"262,144":   count(262144),
		"1,234,567": count(1234567),
		"1000 B":    size(1000),
		"64.00 KiB": size(64 << 10),
		"1.500 GiB": size(3 << 29),
		"2.000 TiB": size(2 << 40),
		"0.714":     digits(5.0 / 7),
		"12345":     digits(12345.4),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
