package report

import (
	"fmt"
	"math"
	"strconv"

	"overlapsim/scenarios/outcomes"
)

// LeastShare is the smallest part of a makespan that is worth a line.
const LeastShare = 0.01

// LeastCause is the smallest part of a makespan that a cause costs for changes that attack it to be tried, unless all are.
const LeastCause = 0.05

// Share writes a share as a person would: "47 %", "8.5 %", "0.6 %".
func Share(x float64) string {
	digits := 0
	if math.Abs(x) < 0.0995 {
		digits = 1
	}
	text := strconv.FormatFloat(100*x, 'f', digits, 64)
	if text == "-0.0" {
		text = "0.0"
	}
	return text + " %"
}

// AnswerFacts are the key numbers of an answer, in the order in which they are read; none are known of an answer that
// was omitted.
func AnswerFacts(makespan float64, a *outcomes.Answer) (all []Fact) {
	if a == nil {
		return nil
	}
	none := a.Replayed && a.Exposed != nil && *a.Exposed < LeastShare/2*makespan // the sentence says why a trace is no shorter
	if a.Exposed != nil && !none {
		value, note := Seconds(*a.Exposed), fmt.Sprintf("makespan less the %s without communication", Seconds(*a.Computation))
		if in := ExposedInPlace(makespan, a); in != "" {
			value = in
		} else {
			note = Share(*a.Exposed/makespan) + ": " + note + after("; ", FromOrder(*a.Exposed, a.ExposedIn))
		}
		name := "exposed"
		if a.Replayed {
			name = "gain"
		}
		all = append(all, Fact{name, value, note})
	}
	if a.Overlap != nil && !none && (!a.Replayed || *a.Hidden != 0) {
		value, note := Seconds(*a.Hidden), fmt.Sprintf("of the %s that communication takes alone%s%s", Seconds(*a.Communication), the(a), LessHides(a))
		switch in := HiddenInPlace(makespan, a); {
		case in != "":
			value = in
		case *a.Hidden < 0:
			note = fmt.Sprintf("none: during computation, communication costs that much more than the %s that it takes alone",
				Seconds(*a.Communication))
			if a.Even != nil {
				note += "; " + EvenHides(a) + " without imbalance"
			}
		default:
			note = Share(*a.Overlap) + " " + note + after("; ", FromOrder(*a.Hidden, a.HiddenIn))
		}
		name := "hidden"
		if a.Replayed {
			name = "rest"
		}
		all = append(all, Fact{name, value, note})
	}
	if e := a.Efficiency; e != nil {
		all = append(all, Fact{"efficiency", Share(e.Parallel), fmt.Sprintf("computation: load balance %s x serialisation %s x transfer %s",
			Share(e.LoadBalance), Share(e.Serialisation), Share(e.Transfer))})
	}
	switch {
	case a.NoNoise != "":
		all = append(all, Fact{"noise", "not known", a.NoNoise})
	case Noisy(a.Noise):
		all = append(all, Fact{"noise", Share(*a.Noise), DependsOn(a.Paused, a.Late, a.Near)})
	}
	return all
}

// the names what hides: in the simulation of a trace it is not the overlap that profilers count.
func the(a *outcomes.Answer) string {
	if a.Replayed {
		return "; without this part the trace is no shorter"
	}
	return ": the overlap"
}

// after writes a text after a mark, unless there is none.
func after(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}

// DependsOn says what a noise is: the part of the makespan that depends on chance.
func DependsOn(paused, late, near bool) string {
	return "of the makespan depends on " + Chance(paused, late, near)
}

// Chance is what the noise of a run depends on.
func Chance(paused, late, near bool) string {
	switch {
	case paused:
		return "when noise of the system comes"
	case late:
		return "whether ranks come late by a message"
	case near:
		return "0.04 % of the bandwidth"
	}
	return "the order of what happens at the same moment"
}

// ExposedInPlace is what stands in the place of the cost of communication if it is below the noise of the run; "": digits.
func ExposedInPlace(makespan float64, a *outcomes.Answer) string {
	switch {
	case a.ExposedIn != nil && a.ExposedIn.AtLeast(LeastShare/2*makespan):
		return ""
	case a.Exposed != nil && BelowNoise(*a.Exposed/makespan, a.Noise):
		return InCell
	}
	return ""
}

// None stands in the place of time that hides if it is below the noise of the run, and both together are a small part of communication.
const None = "none"

// little is a part of communication that is as good as nothing where the noise of the run is larger than what hides.
const little = 0.05

// HiddenInPlace is what stands in the place of the time that hides, and of its share, if it is below the noise of the run; "": digits.
func HiddenInPlace(makespan float64, a *outcomes.Answer) string {
	switch {
	case a.Hidden == nil || !BelowNoise(*a.Hidden/makespan, a.Noise):
		return ""
	case *a.Computation == 0:
		return None
	case a.HiddenIn != nil && a.HiddenIn.AtLeast(LeastShare**a.Communication):
		return ""
	case *a.Hidden+*a.Noise*makespan < little**a.Communication:
		return None
	}
	return InCell
}

// LessHides says how much hides without the hosts' launches; "": as much, or that is not known.
func LessHides(a *outcomes.Answer) string {
	switch {
	case a.Launched == nil:
		return ""
	case *a.Launched < LeastShare:
		return ", but nothing without launches by the hosts"
	}
	return ", but only " + Share(*a.Launched) + " without launches by the hosts"
}

// EvenHides is how much of communication hides without imbalance, if that is known.
func EvenHides(a *outcomes.Answer) string {
	if *a.Even < LeastShare {
		return "nothing"
	}
	return Share(min(1, *a.Even))
}

// AnswerSections say why communication costs what it does, and what would help.
func AnswerSections(a *outcomes.Answer) (all []Section) {
	if a == nil || a.LeftOut != "" {
		return nil
	}
	if s := why(a); s.Table != nil {
		all = append(all, s)
	}
	return append(all, help(a))
}

// why is what the absence of each cause saves.
func why(a *outcomes.Answer) Section {
	s := Section{Title: "Why: what the absence of each cause saves",
		Note: "Each row is a re-run. The savings do not add up: one cause can hide another."}
	for _, c := range costly(a) {
		if s.Table == nil {
			s.Table = &Table{Head: []string{"Without", "Saves", "Makespan", "As flags"}, Words: []bool{true, false, false, true}}
		}
		s.Table.Rows = append(s.Table.Rows, []Cell{{Text: "without " + c.Cause}, {Text: Saving(c)}, {Text: Seconds(c.Makespan)},
			{Text: c.Flags()}})
	}
	return s
}

// costly are the causes whose absence saves something that is more than noise.
func costly(a *outcomes.Answer) (all []*outcomes.Change) {
	if a == nil {
		return nil
	}
	for i := range a.Without {
		if c := &a.Without[i]; Told(c, a.Noise) {
			all = append(all, c)
		}
	}
	return all
}

// unhelped says why nothing is told that would make the run shorter.
func unhelped(a *outcomes.Answer) string {
	if causes := costly(a); causes != nil && causes[0].Saves < LeastCause && !a.Patient {
		return fmt.Sprintf("No cause costs %.0f %%, so hardly any change was tried: --advice tries all.", 100*LeastCause)
	}
	if a != nil && a.Untried {
		return "No change was tried to the end, as the answer would take too long."
	}
	return "No change that was tried makes the run noticeably shorter."
}

// help is what would make the run shorter.
func help(a *outcomes.Answer) Section {
	s := Section{Title: "What would help", Note: "Each row is a re-run with that change alone. Append its flags to the command to get that makespan."}
	if len(a.Help) == 0 {
		s.Note = unhelped(a)
		return s
	}
	s.Table = &Table{Head: []string{"Change", "Of", "Saves", "Makespan", "As flags"}, Words: []bool{true, true, false, false, true}}
	for i := range a.Help {
		c := &a.Help[i]
		s.Table.Rows = append(s.Table.Rows, []Cell{{c.Change, c.Price}, {Text: c.Of}, {Text: Saving(c)}, {Text: Seconds(c.Makespan)},
			{Text: c.Flags()}})
	}
	return s
}

// MadeOf is the critical path of an answer, if it is known.
func MadeOf(a *outcomes.Answer) []Section {
	if a == nil || a.LeftOut != "" || len(a.MadeOf) == 0 {
		return nil
	}
	s := Section{Title: "What the makespan is made of (critical path)", Table: &Table{Head: []string{"Part", "Share"}, Words: []bool{true, false}}}
	for _, share := range a.MadeOf {
		s.Table.Rows = append(s.Table.Rows, []Cell{{Text: share.Part}, {Text: Share(share.Share)}})
	}
	if a.Ties > 0 {
		many := "1 tie"
		if a.Ties > 1 {
			many = Count(a.Ties) + " ties"
		}
		s.Note = many + ": other paths are as long there, so that the absence of a part can save less than its share"
	}
	return []Section{s}
}
