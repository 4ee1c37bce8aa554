package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"overlapsim/scenarios/files"
	"overlapsim/sim/must"
)

// Intrepid has the window and the turn with the smallest error on static routes, and the page of its paper
// states the errors: there, on adaptive routes without turn, which the claims have, and with the best turn.
func TestIntrepidIsTheBestOfTheFit(t *testing.T) {
	file := must.Get(os.Open("fit.csv"))(t)
	defer file.Close()
	rows := must.Get(csv.NewReader(file).ReadAll())(t)
	squares, count := map[string]float64{}, map[string]float64{}
	for _, row := range rows[1:] {
		choice := row[0] + " " + row[1] + " " + row[2]
		e := math.Log(number(t, row[5]) / number(t, row[6]))
		squares[choice] += e * e
		count[choice]++
	}
	best, least := "", math.Inf(1)
	for _, choice := range slices.Sorted(maps.Keys(squares)) {
		if e := squares[choice] / count[choice]; e < least && choice[:3] == "dim" {
			best, least = choice, e
		}
	}
	m := must.Get(files.LoadMachine("intrepid"))(t)
	facts := map[string]string{}
	for _, f := range m.Facts {
		facts[f.Path] = f.Value
	}
	if got := "dimension-order " + facts["links.window"] + " " + facts["links.turn"]; got != best {
		t.Errorf("intrepid has %s, the best is %s", got, best)
	}
	page := must.Get(os.ReadFile("../../../docs/validation/papers/bgp.md"))(t)
	text := strings.Join(strings.Fields(string(page)), " ")
	rms := func(choice string) string {
		return fmt.Sprintf("%.1f %%", 100*math.Sqrt(squares[choice]/count[choice]))
	}
	for _, says := range []string{
		"rms error " + rms(best) + " with static routing",
		rms("adaptive "+facts["links.window"]+" 0.2") + " with adaptive routing",
		"turn 0 has " + rms("adaptive "+facts["links.window"]+" 0"),
	} {
		if !strings.Contains(text, says) {
			t.Errorf("the page does not say: %s", says)
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	return must.Get(strconv.ParseFloat(text, 64))(t)
}
