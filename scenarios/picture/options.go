package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/sim"
)

// Options are what a user asks of a picture.
type Options struct {
	Style
	Of       []string // names of charts, and TimelineName; nil: the user names none
	Timeline Timeline
	window   bool // Timeline has been asked for a part of it
}

// TimelineName is the name of the timeline among the charts.
const TimelineName = "timeline"

// option is something that a user may write; set returns what would be right of a value that is
// wrong.
type option struct {
	name, like string // like: an example; "": the option has no value
	says       string
	set        func(o *Options, value string) (right string)
}

var options = []option{
	{"of", "timeline", "the charts to draw, by name or number, joined by +", func(o *Options, v string) string {
		o.Of = strings.Split(v, "+")
		return ""
	}},
	{"size", "85x60", "width, or width x height, in mm", func(o *Options, v string) string {
		width, height, both := strings.Cut(strings.TrimSuffix(v, "mm"), "x")
		ok := millimetres(&o.Width, strings.TrimSuffix(width, "mm")) && (!both || millimetres(&o.Height, height))
		return unless(ok, "must be a width, or width x height, of 20 to 1000 mm, such as 85 or 85x60")
	}},
	{"font", "8", "size of the letters, in points", func(o *Options, v string) string {
		x, err := strconv.ParseFloat(strings.TrimSuffix(v, "pt"), 64)
		o.Points = x
		return unless(err == nil && x >= 3 && x <= 36, "must be a size of letters from 3 to 36 points, such as 8")
	}},
	{"serif", "", "letters with serifs", func(o *Options, _ string) string { o.Serif = true; return "" }},
	{"grey", "", "shades of grey in place of colours", func(o *Options, _ string) string { o.Grey = true; return "" }},
	{"hatch", "", "hatched areas, which copies keep apart", func(o *Options, _ string) string { o.Hatch = true; return "" }},
	{"from", "1ms", "where the timeline begins", func(o *Options, v string) string { return o.instant(&o.Timeline.From, v) }},
	{"to", "2ms", "where the timeline ends", func(o *Options, v string) string { return o.instant(&o.Timeline.To, v) }},
	{"ranks", "0-7+12", "the ranks that the timeline shows", func(o *Options, v string) string {
		o.window = true
		return unless(rankList(&o.Timeline.Ranks, v), "must be ranks such as 3 or 0-7+12")
	}},
	{"calls", "", "the calls of the library in the timeline", func(o *Options, _ string) string { o.Timeline.Calls, o.window = true, true; return "" }},
	{"nics", "", "the NICs below the ranks of the timeline", func(o *Options, _ string) string { o.Timeline.NICs, o.window = true, true; return "" }},
}

// Explained returns every option as it may be written, with what it does.
func Explained() (rows [][]string) {
	for _, o := range options {
		written := o.name
		if o.like != "" {
			written += "=" + o.like
		}
		rows = append(rows, []string{written, o.says})
	}
	return rows
}

func unless(ok bool, right string) string {
	if ok {
		return ""
	}
	return right
}

func millimetres(x *float64, text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	*x = v
	return err == nil && v >= 20 && v <= 1000
}

func (o *Options) instant(t *sim.Time, text string) string {
	v, err := keys.ParseTime(text)
	*t, o.window = v, true
	return unless(err == nil && v >= 0, "must be a time such as 1.5ms")
}

// mostListed is the largest number of ranks of a list.
const mostListed = 1 << 20

// rankList reads ranks such as 0-7+12.
func rankList(ranks *[]int, text string) bool {
	for _, part := range strings.Split(text, "+") {
		first, last, span := strings.Cut(part, "-")
		if !span {
			last = first
		}
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || a < 0 || b < a || b-a > mostListed {
			return false
		}
		for rank := a; rank <= b; rank++ {
			*ranks = append(*ranks, rank)
		}
	}
	return len(*ranks) <= mostListed
}

// ParseOptions reads options such as size=85x60 and grey; mistakes are what is wrong with
// them.
func ParseOptions(list []string) (o *Options, mistakes []string) {
	o = &Options{Style: plain}
	for _, text := range list {
		name, value, given := strings.Cut(strings.TrimSpace(text), "=")
		i := slices.IndexFunc(options, func(p option) bool { return p.name == name })
		switch {
		case i < 0:
			mistakes = append(mistakes, fmt.Sprintf("%s: unknown; %s", name, keys.Instead(name, optionNames())))
		case given != (options[i].like != ""):
			mistakes = append(mistakes, fmt.Sprintf("%s: %s", name, options[i].wants()))
		default:
			if right := options[i].set(o, value); right != "" {
				mistakes = append(mistakes, fmt.Sprintf("%s: %s, got %s", name, right, value))
			}
		}
	}
	if t := &o.Timeline; t.To != 0 && t.To <= t.From {
		mistakes = append(mistakes, fmt.Sprintf("to: must be later than from, %v, got %v", t.From, t.To))
	}
	return o, mistakes
}

// wants says whether an option has a value.
func (p *option) wants() string {
	if p.like == "" {
		return "takes no value"
	}
	return fmt.Sprintf("needs a value, such as %s=%s", p.name, p.like)
}

func optionNames() (names []string) {
	for _, p := range options {
		names = append(names, p.name)
	}
	return names
}

// Fits says what is wrong with the options for a run with so many ranks.
func (o *Options) Fits(ranks int) string {
	if !slices.Contains(o.Of, TimelineName) && o.window {
		return fmt.Sprintf("from, to, ranks, nics and calls are of a timeline, and %s is none; of=%s draws it",
			strings.Join(o.Of, "+"), TimelineName)
	}
	for _, rank := range o.Timeline.Ranks {
		if rank >= ranks {
			return fmt.Sprintf("ranks: the run has ranks 0 to %d, got %d", ranks-1, rank)
		}
	}
	return ""
}
