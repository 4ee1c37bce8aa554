package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"overlapsim/nodes/results"
	"overlapsim/scenarios"
	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/picture"
	"overlapsim/scenarios/report"
)

// pictures are the flags for pictures.
type pictures struct {
	file *string
	with *[]string
}

func newPictures(flags *pflag.FlagSet) pictures {
	return pictures{
		file: outputFlag(flags, "figure", "draw for a paper, to `FILE`.svg, .pdf or .png"),
		with: flags.StringSlice(figureWith, nil, "what and how, a `LIST`: size=85x60,grey; or help"),
	}
}

const figureWith = "figure-with"

// asksOfPictures tells whether the user asks what --figure-with may be.
func asksOfPictures(flags *pflag.FlagSet) bool {
	f := flags.Lookup(figureWith)
	return f != nil && f.Value.String() == "[help]"
}

// explainPictures says what --figure-with may be.
func explainPictures(out io.Writer) error {
	fmt.Fprint(out, "--figure-with takes any of these, separated by commas:\n\n")
	if err := grid(out, indented(picture.Explained()), 2); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nCharts of a run, for of: %s; on a network with contention also %s.\nOf several runs: %s.\n"+
		"Of other commands: their charts by number, from 1 on.\n", strings.Join(append([]string{picture.TimelineName}, chartsOfOne...), ", "),
		strings.Join(overTime, ", "), strings.Join(chartsOfSeveral, ", "))
	return err
}

// parse reads the flags; nil if no flag names a picture. what are the names of the charts that
// there will be; nil: they are not known yet.
func (p pictures) parse(command string, what []string) (*asked, error) {
	if *p.file == "" {
		if len(*p.with) > 0 {
			return nil, &usageError{command, "--figure-with says how --figure draws; give --figure FILE too"}
		}
		return nil, nil
	}
	format, err := picture.FormatOf(*p.file)
	options, mistakes := picture.ParseOptions(*p.with)
	var wrong []string
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("--figure %s: %s", *p.file, err))
	}
	for _, m := range mistakes {
		wrong = append(wrong, "--figure-with "+m)
	}
	for _, name := range options.Of {
		if what != nil && !slices.Contains(what, name) {
			wrong = append(wrong, fmt.Sprintf("--figure-with of: there is no %s; %s", name, keys.Instead(name, what)))
		}
	}
	if wrong != nil {
		return nil, &usageError{command, strings.Join(wrong, "\n")}
	}
	return &asked{path: output(*p.file), format: format, options: options, columns: 1}, nil
}

// ofPage reads which charts of a page --figure names, numbered from 1 on in the order of the page;
// nil: none.
func (p pictures) ofPage(command string) (*pageCharts, error) {
	a, err := p.parse(command, nil)
	if err != nil || a == nil {
		return nil, err
	}
	a.first("1")
	for _, n := range a.options.Of {
		if at, err := strconv.Atoi(n); err != nil || at < 1 {
			return nil, &usageError{command, fmt.Sprintf("--figure-with of: must be the number of a chart of the page, from 1 on, got %s", n)}
		}
	}
	if wrong := a.options.Fits(mostRanks); wrong != "" {
		return nil, &usageError{command, "--figure-with " + wrong}
	}
	return &pageCharts{a}, a.path.check(command, "--figure")
}

// pageCharts is a picture of charts of a page.
type pageCharts struct{ *asked }

// pageFiles are the files that show the page of a command: the page itself, and a picture of charts of it.
type pageFiles struct {
	page   output
	charts *pageCharts // nil: none
}

// pageFiles reads and checks what the flags --html and --figure of a command ask for.
func (p pictures) pageFiles(command, html string) (*pageFiles, error) {
	charts, err := p.ofPage(command)
	f := &pageFiles{output(html), charts}
	return f, cmp.Or(err, f.page.check(command, "--html"))
}

// write writes the files that the flags name.
func (f *pageFiles) write(page func() *report.Page) error {
	if f.page == "" && f.charts == nil {
		return nil
	}
	p := page()
	if err := f.page.writePage(p); err != nil || f.charts == nil {
		return err
	}
	return f.charts.write(p)
}

// writePage writes a page.
func (o output) writePage(p *report.Page) error {
	return o.write(func(w io.Writer) error { return report.Write(w, p) })
}

// write draws the charts of a page.
func (c *pageCharts) write(p *report.Page) error {
	charts := p.Charts()
	if len(charts) == 0 {
		return &inputError{fmt.Sprintf("--figure %s: there is no chart to draw", c.path)}
	}
	for _, name := range c.options.Of {
		if !slices.ContainsFunc(charts, func(at report.Chart) bool { return at.Name == name }) {
			return &inputError{fmt.Sprintf("--figure-with of=%s: the page has %s", name, listed(charts))}
		}
	}
	return c.path.write(func(w io.Writer) error { return c.asked.write(w, charts, nil) })
}

// listed names charts by their numbers.
func listed(charts []report.Chart) string {
	var all []string
	for _, c := range charts {
		all = append(all, c.Name+" "+report.TitleOf(c.Figure))
	}
	return some(all)
}

// asked is a picture that a user asks for.
type asked struct {
	path    output
	format  picture.Format
	options *picture.Options
	columns int
}

// first chooses charts where the user names none.
func (a *asked) first(names ...string) {
	if a.options.Of == nil {
		a.options.Of = names
	}
}

// wants tells whether the flags name one of these charts.
func (a *asked) wants(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(a.options.Of, name) })
}

// write draws the pictures that the flags name: some of the charts, and the timeline of a run.
func (a *asked) write(w io.Writer, charts []report.Chart, run *results.Result) error {
	var all []picture.Drawing
	for _, name := range a.options.Of {
		d, err := a.drawing(name, charts, run)
		if err != nil {
			return err
		}
		all = append(all, d)
	}
	return picture.Write(w, a.format, a.options.Style, a.columns, all...)
}

func (a *asked) drawing(name string, charts []report.Chart, run *results.Result) (picture.Drawing, error) {
	if name == picture.TimelineName {
		line := &a.options.Timeline
		line.Result = run
		if err := line.Check(); err != nil {
			return nil, &inputError{err.Error()}
		}
		return line, nil
	}
	i := slices.IndexFunc(charts, func(c report.Chart) bool { return c.Name == name })
	if i < 0 {
		return nil, &inputError{"--figure-with of=" + name + ": the run has no such chart"}
	}
	if d := picture.Of(charts[i].Figure); d != nil {
		return d, nil
	}
	return nil, errors.New("this chart is only on the page: --html")
}

// Names of charts of several runs.
const ofBound = "bound"

// chartsOfOne and chartsOfSeveral are the charts of a run and of several, as far as the runs have them: not all have phases or timers.
var (
	chartsOfOne     = []string{report.OfRanks, report.OfPhases, report.OfTimers}
	chartsOfSeveral = []string{ofBound, report.OfRuns, report.OfTimers, report.OfTerms, report.OfPhases}
)

// overTime are the charts of what links and queues do over time.
var overTime = []string{report.OfLinks, report.OfBusiest, report.OfQueues}

// charts are the names of the charts of a study's runs.
func (r *runner) charts(study *scenarios.Study) []string {
	if len(study.Runs)+r.savedRuns() == 1 {
		all := slices.Clone(chartsOfOne)
		if study.Runs[0].Contended() {
			all = append(all, overTime...)
		}
		if !study.Runs[0].Timed() {
			return all
		}
		return append([]string{picture.TimelineName}, all...)
	}
	return chartsOfSeveral
}

// chartsOf returns the charts of runs.
func chartsOf(made []outcome) []report.Chart {
	p := page(&scenarios.Study{}, made)
	if len(made) == 1 {
		return p.Runs[0].Charts()
	}
	all := append(report.SideBySide(p.Runs), report.Chart{Name: ofBound, Figure: comparison(made)})
	return append(all, differencesOf(made).Charts()...)
}

// mostReadable is how many ranks have room for their names in a timeline of a column of a paper.
const mostReadable = 32

// drawings are the files of pictures.
func (r *runner) drawings(study *scenarios.Study) ([]resultFile, error) {
	what := r.charts(study)
	a, err := r.pictures.parse(r.command, what)
	if err != nil || a == nil {
		return nil, err
	}
	a.first(what[0])
	timeline := a.wants(picture.TimelineName)
	if line := &a.options.Timeline; timeline && len(line.Ranks) == 0 && line.To == 0 && study.Runs[0].Ranks > mostReadable {
		r.notes = append(r.notes, fmt.Sprintf("The timeline shows all %d ranks, from begin to end: --figure-with ranks=0-7,to=1ms shows some of it.",
			study.Runs[0].Ranks))
	}
	f := resultFile{flag: "--figure", path: a.path, timeline: timeline, calls: a.options.Timeline.Calls, traffic: a.wants(overTime...)}
	f.content = func(w io.Writer, made []outcome) error {
		if timeline {
			return a.write(w, chartsOf(made), made[0].Result)
		}
		return a.write(w, chartsOf(made), nil)
	}
	if len(study.Runs) > 0 {
		f.wrong = a.options.Fits(study.Runs[0].Ranks)
	}
	return []resultFile{f}, nil
}
