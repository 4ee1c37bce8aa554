package laws

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"overlapsim/nodes"
	"overlapsim/scenarios"
	"overlapsim/scenarios/answer"
	"overlapsim/scenarios/outcomes"
	"overlapsim/scenarios/report"
)

// again runs the case with more settings, as if a user had given them.
func (t *trial) again(set []string) (o *outcomes.Outcome, err error) {
	defer catch(&err)
	if err := t.lab.lay(t.Case); err != nil {
		return nil, err
	}
	s, err := scenarios.LoadRun(t.lab.file(scenarioName), 0, append(t.Settings[:len(t.Settings):len(t.Settings)], set...))
	if err != nil {
		return nil, err
	}
	return s.Run(nodes.Options{})
}

// An answer, and what confirms it, is some fifty runs: of so many events, in so many nodes of a network that is built for each.
const (
	mostEvents = 20_000
	mostBuilt  = 10_000
)

// answered is the whole answer for the case.
func (t *trial) answered() (*outcomes.Outcome, *outcomes.Answer, error) {
	o, err := t.runs()
	if err != nil {
		return nil, nil, err
	}
	if o.Result.Events > mostEvents || o.Contended() && o.Machine.Nodes > mostBuilt {
		return nil, nil, errNotFor
	}
	if err := t.lab.lay(t.Case); err != nil {
		return nil, nil, err
	}
	a := answer.For(o, t.scenario().With, answer.Whole, func(string, float64) {})
	if a == nil || a.LeftOut != "" {
		return nil, nil, errNotFor
	}
	return o, a, nil
}

// effect is the law of the answer: each line of it is a run that a user can repeat.
func effect(t *trial) error {
	o, a, err := t.answered()
	if err != nil {
		return err
	}
	return answer.Confirm(o, a, t.again)
}

// answerShown is the law that the sentence, and the lines of causes and of changes, are the same wherever they stand.
func answerShown(t *trial) error {
	if len(t.studyRuns()) != 1 {
		return errNotFor
	}
	out, err := t.prints("run", "--json")
	if err != nil {
		return err
	}
	var record struct {
		Makespan float64 `json:"makespan_s"`
		Answer   *outcomes.Answer
	}
	if err := json.Unmarshal([]byte(out), &record); err != nil {
		return fmt.Errorf("JSON does not parse: %w", err)
	}
	if record.Answer == nil {
		return errNotFor
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
	for where, said := range map[string]string{"text": text, "page": plainPage(page)} {
		if err := tells(record.Answer, said); err != nil {
			return fmt.Errorf("%w in the %s", err, where)
		}
	}
	return linesAgree(record.Answer, record.Makespan, text)
}

// tells checks that a text has all that an answer tells.
func tells(a *outcomes.Answer, text string) error {
	lines := append([]string{a.Sentence}, a.Notes...)
	for _, c := range a.Without {
		if sure(a, &c) {
			lines = append(lines, "without "+c.Cause, saving(&c), c.Flags())
		}
	}
	for _, c := range a.Help {
		lines = append(lines, c.Change, saving(&c), c.Flags(), c.Price)
	}
	for _, s := range a.MadeOf {
		lines = append(lines, s.Part, report.Share(s.Share))
	}
	for _, line := range lines {
		if !strings.Contains(text, plainSpaces.Replace(line)) {
			return fmt.Errorf("JSON says %q, which is nowhere", line)
		}
	}
	return nil
}

// sure tells whether a cause costs something in each order that it was taken away in, or more than the noise.
func sure(a *outcomes.Answer, c *outcomes.Change) bool {
	if c.SavesIn != nil {
		return c.SavesIn[0] >= report.LeastShare
	}
	return c.Saves >= max(report.LeastShare, noiseIn(a))
}

// saving is what a change saves: one share, or the least and the most of several orders.
func saving(c *outcomes.Change) string {
	if c.SavesIn == nil || c.SavesIn[1]-c.SavesIn[0] < max(report.LeastShare, c.SavesIn[1]/10) {
		return report.Share(c.Saves)
	}
	return strings.TrimSuffix(report.Share(c.SavesIn[0]), " %") + " to " + report.Share(c.SavesIn[1])
}

func noiseIn(a *outcomes.Answer) float64 {
	if a.Noise == nil {
		return 0
	}
	return *a.Noise
}

// leastShown is the smallest noise that shows in the digits of a share.
const leastShown = 0.0005

// linesAgree checks the times that the text has of an answer.
func linesAgree(a *outcomes.Answer, makespan float64, text string) error {
	for _, c := range append(a.Without, a.Help...) {
		name := c.Change
		if c.Cause != "" {
			name = "without " + c.Cause
		}
		rest, ok := line(text, name+" ")
		if !ok && c.Cause != "" && !sure(a, &c) {
			continue
		}
		p, read := readPrinted(rest)
		if far := p.value - c.Makespan; !ok || !read || far > p.room || -far > p.room {
			return fmt.Errorf("%s takes %g s in JSON, in the text %q", name, c.Makespan, strings.TrimSpace(rest))
		}
	}
	if a.Hidden == nil {
		return nil
	}
	in := map[string]*outcomes.Range{"exposed": a.ExposedIn, "hidden": a.HiddenIn}
	for name, value := range map[string]float64{"exposed": *a.Exposed, "hidden": *a.Hidden} {
		if rest, ok := line(text, name); ok {
			rest = strings.TrimSpace(rest)
			if strings.HasPrefix(rest, "below noise ") || strings.HasPrefix(rest, "none ") {
				if noiseIn(a) < leastShown || math.Abs(value) >= noiseIn(a)*makespan {
					return fmt.Errorf("%s is %g s in JSON, with a noise of %g of %g s, in the text %q", name, value, noiseIn(a), makespan, rest)
				}
				continue
			}
			inEach := in[name] != nil && (in[name][0] > 0 || in[name][1] < 0) // of several orders it has this sign
			if noiseIn(a) >= leastShown && math.Abs(value) < noiseIn(a)*makespan && !inEach {
				return fmt.Errorf("%s is below a noise of %g of %g s, in the text %q", name, noiseIn(a), makespan, rest)
			}
			if p, read := readPrinted(rest); !read || p.value-value > p.room || value-p.value > p.room {
				return fmt.Errorf("%s is %g s in JSON, in the text %q", name, value, rest)
			}
		}
	}
	return nil
}
