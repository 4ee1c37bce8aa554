package laws

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"

	"overlapsim/nodes/results"
	"overlapsim/scenarios/report"
)

// printed is a number as the program prints it for users.
type printed struct {
	text  string
	value float64 // in seconds
	room  float64 // how far the exact one may be from it
}

var printedTime = regexp.MustCompile(`(-?[0-9.]+(?:e[+-]?[0-9]+)?) (s|ms|µs|ns|ps)\b`)

var timeUnits = map[string]float64{"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "ps": 1e-12}

// readPrinted reads the first time of a text.
func readPrinted(text string) (p printed, ok bool) {
	m := printedTime.FindStringSubmatch(text)
	if m == nil {
		return p, false
	}
	value, err := strconv.ParseFloat(m[1], 64)
	unit := timeUnits[m[2]]
	_, decimals, _ := strings.Cut(m[1], ".")
	room := 0.51 * math.Pow10(-len(decimals))
	if strings.Contains(m[1], "e") || len(decimals) == 0 {
		room = 1e-3 * math.Abs(value)
	}
	return printed{m[0], value * unit, room * unit}, err == nil
}

// line returns the rest of the line of a text that begins with a word.
func line(text, word string) (rest string, ok bool) {
	for l := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l), word+" "); ok {
			return rest, true
		}
	}
	return "", false
}

// surfaces compares the text of a run and its page with its JSON.
func surfaces(t *trial) error {
	if len(t.studyRuns()) != 1 {
		return errNotFor
	}
	record, err := t.json("--json")
	if err != nil {
		return err
	}
	const file = "case.html"
	text, err := t.prints("run", "--html", t.lab.file(file))
	if err != nil {
		return err
	}
	page, err := t.lab.take(file)
	if err != nil {
		return err
	}
	page = plainPage(page)
	for _, name := range []string{"makespan", "hidden", "exposed", "bound"} {
		value, known := record[name+"_s"].(float64)
		if !known { // an experiment has no bound
			continue
		}
		if err := shown(name, value, text, page); err != nil {
			return err
		}
	}
	_, text, _ = strings.Cut(text, ledgerTitle)
	terms := record["ledger"].(map[string]any)
	for _, term := range sortedKeys(terms) {
		if terms[term].(float64) == 0 {
			continue
		}
		name := t.state(term)
		if err := shown(name, terms[term].(float64), text, page); err != nil {
			return err
		}
	}
	return nil
}

// state is what text and page call a term of a ledger in JSON.
func (t *trial) state(key string) string {
	for term := range results.NumTerms {
		if term.String()+"_s" == key {
			return report.Words(t.plain.Outcome.Result).State(term)
		}
	}
	return key
}

// ledgerTitle is what headings of the ledger, of ranks or of compute streams, have in common in a text.
const ledgerTitle = "s were doing ("

// shown checks that a number is in the text and on the page.
func shown(name string, value float64, text, page string) error {
	rest, ok := line(text, name)
	if !ok {
		return fmt.Errorf("the text has no %s", name)
	}
	p, ok := readPrinted(rest)
	if !ok || math.Abs(p.value-value) > p.room+1e-12*math.Abs(value) {
		return fmt.Errorf("%s is %g s in JSON, in the text %s", name, value, strings.TrimSpace(rest))
	}
	if !strings.Contains(page, p.text) {
		return fmt.Errorf("%s is %s in the text, which is nowhere on the page", name, p.text)
	}
	return nil
}

// plainPage returns the text of a page.
func plainPage(page string) string { return plainSpaces.Replace(html.UnescapeString(page)) }

var plainSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "μ", "µ")

// json runs the case and returns its record.
func (t *trial) json(flags ...string) (record map[string]any, err error) {
	out, err := t.prints("run", flags...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		return nil, fmt.Errorf("JSON does not parse: %w", err)
	}
	return record, nil
}

// perRank compares the table by rank with the means.
func perRank(t *trial) error {
	o, err := t.runs()
	if err != nil || len(t.study.Runs) > 1 {
		return errNotFor
	}
	text, err := t.prints("run", "--per-rank", "--no-advice")
	if err != nil {
		return err
	}
	_, table, ok := strings.Cut(text, "\nrank ")
	if !ok {
		return fmt.Errorf("there is no table by rank")
	}
	heads := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(strings.SplitN(table, "\n", 2)[0]), -1)
	sums, room := make([]float64, len(heads)), make([]float64, len(heads))
	rows := 0
	for l := range strings.Lines(table) {
		cells := strings.Fields(l)
		if len(cells) == 0 || cells[0] != strconv.Itoa(rows) {
			continue
		}
		rows++
		for i, cell := range printedOrZero.FindAllString(l, -1) {
			p, _ := readPrinted(cell)
			if i < len(heads) {
				sums[i], room[i] = sums[i]+p.value, room[i]+p.room
			}
		}
	}
	if rows != o.Ranks {
		return fmt.Errorf("the table by rank has %d rows of %d", rows, o.Ranks)
	}
	_, text, _ = strings.Cut(text, ledgerTitle)
	return meansAgree(text, heads, sums, room, float64(rows))
}

var printedOrZero = regexp.MustCompile(printedTime.String())

// meansAgree compares sums of columns with the printed means of the terms.
func meansAgree(text string, heads []string, sums, room []float64, ranks float64) error {
	for i, head := range heads {
		rest, ok := line(text, head)
		if head == "finish" || !ok {
			continue
		}
		if mean, ok := readPrinted(rest); ok && math.Abs(mean.value-sums[i]/ranks) > mean.room+room[i]/ranks+1e-15 {
			return fmt.Errorf("the mean of %s is printed as %s, the ranks have %g s", head, mean.text, sums[i]/ranks)
		}
	}
	return nil
}
