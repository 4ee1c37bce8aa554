package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

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
		file: flags.String("figure", "", "draw for a paper, to `FILE`.svg, .pdf or .png"),
		with: flags.StringSlice("figure-with", nil, "what and how, a `LIST`: of=ranks,size=85x60,grey"),
	}
}

// parse reads the flags; nil if no picture is asked for. what are the names of the charts
// that there will be, the first of which is drawn if none is named.
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
	if options.Of == "" {
		options.Of = what[0]
	} else if !slices.Contains(what, options.Of) {
		wrong = append(wrong, fmt.Sprintf("--figure-with of: there is no %s; %s", options.Of, keys.Instead(options.Of, what)))
	}
	if wrong != nil {
		return nil, &usageError{command, strings.Join(wrong, "\n")}
	}
	return &asked{path: output(*p.file), format: format, options: options}, nil
}

// ofPage reads what --figure asks of a page: its charts are numbered from 1 on, in the order of
// the page. It is nil if nothing is asked for.
func (p pictures) ofPage(command string) (*pageChart, error) {
	list := []string{"1"}
	for _, text := range *p.with {
		if n, ok := strings.CutPrefix(strings.TrimSpace(text), "of="); ok {
			if at, err := strconv.Atoi(n); err != nil || at < 1 {
				return nil, &usageError{command, fmt.Sprintf("--figure-with of: must be the number of a chart of the page, from 1 on, got %s", n)}
			}
			list[0] = n
		}
	}
	a, err := p.parse(command, list)
	if err != nil || a == nil {
		return nil, err
	}
	if wrong := a.options.Fits("chart "+a.options.Of, mostRanks); wrong != "" {
		return nil, &usageError{command, "--figure-with " + wrong}
	}
	return &pageChart{a}, a.path.check(command, "--figure")
}

// pageChart is a picture of one chart of a page.
type pageChart struct{ *asked }

// write draws the chart of a page; a nil one draws nothing.
func (c *pageChart) write(p *report.Page) error {
	if c == nil {
		return nil
	}
	charts := p.Charts()
	if i := slices.IndexFunc(charts, func(at report.Chart) bool { return at.Name == c.options.Of }); i < 0 {
		return &inputError{fmt.Sprintf("--figure-with of=%s: the page has %s", c.options.Of, listed(charts))}
	}
	return c.path.write(func(w io.Writer) error { return c.asked.write(w, charts) })
}

// listed names charts by their numbers.
func listed(charts []report.Chart) string {
	if len(charts) == 0 {
		return "no charts"
	}
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
}

// write draws one of some charts.
func (a *asked) write(w io.Writer, charts []report.Chart) error {
	i := slices.IndexFunc(charts, func(c report.Chart) bool { return c.Name == a.options.Of })
	if i < 0 {
		return &inputError{"--figure-with of=" + a.options.Of + ": the run has no such chart"}
	}
	d := picture.Of(charts[i].Figure)
	if d == nil {
		return errors.New("this chart is only on the page: --html")
	}
	return picture.Write(w, a.format, a.options.Style, d)
}

// Names of charts of several runs.
const ofBound = "bound"

// overTime are the charts of what links and queues do over time.
var overTime = []string{report.OfLinks, report.OfBusiest, report.OfQueues}

// charts are the names of the charts of a study's runs.
func (r *runner) charts(study *scenarios.Study) []string {
	if len(study.Runs)+r.savedRuns() == 1 {
		all := []string{report.OfRanks, report.OfPhases, report.OfTimers}
		if study.Runs[0].Contended() {
			all = append(all, overTime...)
		}
		if !study.Runs[0].Timed() {
			return all
		}
		return append([]string{picture.TimelineName}, all...)
	}
	return []string{ofBound, report.OfRuns, report.OfTimers, report.OfTerms, report.OfPhases}
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

// picture is the file of a picture.
func (r *runner) picture(flag string, a *asked, study *scenarios.Study) resultFile {
	timeline := a.options.Of == picture.TimelineName
	f := resultFile{flag: flag, path: a.path, timeline: timeline, calls: a.options.Timeline.Calls, traffic: slices.Contains(overTime, a.options.Of)}
	f.content = func(w io.Writer, made []outcome) error {
		if !timeline {
			return a.write(w, chartsOf(made))
		}
		a.options.Timeline.Result = made[0].Result
		if err := a.options.Timeline.Check(); err != nil {
			return &inputError{err.Error()}
		}
		return picture.Write(w, a.format, a.options.Style, &a.options.Timeline)
	}
	if len(study.Runs) > 0 {
		f.wrong = a.options.Fits(a.options.Of, study.Runs[0].Ranks)
	}
	return f
}
