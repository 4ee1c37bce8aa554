package collectives

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Library is how a communication library chooses algorithms.
type Library struct {
	Name, Title, Source string
	started             string // name of the library whose choices it uses for non-blocking collectives; "": its own
	choices             map[*Operation]*choices
}

// choices are the rules for one operation; the first that applies counts.
type choices struct {
	ofBlock bool // sizes are the sizes of a block; otherwise the sizes are Bytes
	rules   []rule
	instead []instead
}

// rule applies to some groups.
type rule struct {
	below      int  // ranks; 0: any number
	powerOfTwo bool // only a power of two of ranks
	shared     bool // only several nodes, each with as many of the ranks, and more than one
	use        []choice
}

// choice is an algorithm for sizes below a limit; 0: no limit. The segment is 0 if the library
// does not cut the bytes.
type choice struct {
	below   int64
	by      *Algorithm
	segment int64
}

// instead is what a library uses if an algorithm does not serve a group.
type instead struct {
	of, use *Algorithm
	serves  func(g *Group) string
}

//go:embed libraries/*.yaml
var libraryFiles embed.FS

// ending is the ending of the files.
const ending = ".yaml"

// Libraries returns the names of the libraries whose choices are known.
func Libraries() (names []string) {
	files, _ := libraryFiles.ReadDir("libraries") // is part of the program
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ending))
	}
	return names
}

// read are the libraries that someone has asked for.
var read sync.Map

// LibraryNamed returns a library; nil: it is not known.
func LibraryNamed(name string) *Library {
	if known, ok := read.Load(name); ok {
		return known.(*Library)
	}
	text, err := libraryFiles.ReadFile("libraries/" + name + ending)
	if err != nil {
		return nil
	}
	l, err := readLibrary(name, text)
	if err != nil {
		panic(err) // the files are part of the program, and a test reads them
	}
	known, _ := read.LoadOrStore(name, l)
	return known.(*Library)
}

// Nonblocking names the library whose choices are used for non-blocking collectives.
func (l *Library) Nonblocking() string {
	if l.started == "" {
		return l.Name
	}
	return l.started
}

// Choose returns the algorithm that the library takes, and sets the group's segment if the
// library does. What the switches of the network do, they do for any library.
func (l *Library) Choose(of *Operation, g *Group) (*Algorithm, error) {
	if a := g.offloaded(of); a != nil {
		return a, nil
	}
	c := l.choices[of]
	if c == nil {
		return nil, fmt.Errorf("%s does not say how it does %s; name an algorithm: %s", l.Name, of.Name, strings.Join(of.Names(), ", "))
	}
	size := g.Bytes
	if c.ofBlock {
		size /= int64(g.Ranks)
	}
	for i := range c.rules {
		if c.rules[i].applies(g) {
			by := c.rules[i].of(size)
			if by.segment > 0 {
				g.Segment = by.segment
			}
			return c.serving(by.by, g), nil
		}
	}
	return nil, fmt.Errorf("%s has no rule for %s of %d ranks", l.Name, of.Name, g.Ranks)
}

func (r *rule) applies(g *Group) bool {
	return (r.below == 0 || g.Ranks < r.below) && (!r.powerOfTwo || powerOfTwo(g) == "") && (!r.shared || sharesNodes(g))
}

// sharesNodes tells whether the members are on several nodes, more than one on each, and on all as
// many.
func sharesNodes(g *Group) bool {
	each := g.level()
	return each > 1 && each < g.Ranks && g.Ranks%each == 0
}

// of returns the choice for a size.
func (r *rule) of(size int64) choice {
	i := slices.IndexFunc(r.use, func(c choice) bool { return c.below == 0 || size < c.below })
	return r.use[i]
}

// serving returns the algorithm, or the one used instead.
func (c *choices) serving(a *Algorithm, g *Group) *Algorithm {
	for _, other := range c.instead {
		if other.of == a && other.serves(g) != "" {
			return other.use
		}
	}
	return a
}

// The form of the files.
type libraryFile struct {
	Title, Source string
	Base          string // a library whose rules follow, and which decides on the operations that are not here
	Nonblocking   string
	Operations    map[string]choicesFile
}

type choicesFile struct {
	Size    string
	Rules   []ruleFile
	Instead []struct{ Of, Unless, Use string }
}

type ruleFile struct {
	Ranks      int
	PowerOfTwo bool `yaml:"power_of_two"`
	Shared     bool `yaml:"nodes_shared"`
	Use        string
}

// unless are the conditions of an instead. An element has 4 bytes.
var unless = map[string]func(g *Group) string{
	"power of two": powerOfTwo, "even": even,
	"an element for each rank":         func(g *Group) string { return elements(g, g.Ranks) },
	"an element for each power of two": func(g *Group) string { return elements(g, 1<<foldOf(g.Ranks).steps) },
}

// elements says if there are fewer of them than a number.
func elements(g *Group, least int) string {
	if g.Bytes/4 < int64(least) {
		return fmt.Sprintf("needs %d elements", least)
	}
	return ""
}

func readLibrary(name string, text []byte) (*Library, error) {
	var file libraryFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l := &Library{Name: name, Title: file.Title, Source: file.Source, started: file.Nonblocking, choices: map[*Operation]*choices{}}
	if file.Base != "" {
		base := LibraryNamed(file.Base)
		if base == nil {
			return nil, fmt.Errorf("%s: base: no library is called %s", name, file.Base)
		}
		maps.Copy(l.choices, base.choices)
	}
	var errs []error
	for operation, from := range file.Operations {
		of := Named(operation)
		if of == nil {
			errs = append(errs, fmt.Errorf("%s: no operation is called %s", name, operation))
			continue
		}
		c, err := from.read(of)
		errs = append(errs, named(name+": "+operation, err))
		l.choices[of] = c.before(l.choices[of])
	}
	return l, errors.Join(errs...)
}

// read reads the rules for an operation.
func (f *choicesFile) read(of *Operation) (*choices, error) {
	c := &choices{ofBlock: f.Size == "block"}
	var errs []error
	for _, r := range f.Rules {
		use, err := readChoices(of, r.Use)
		errs = append(errs, err)
		c.rules = append(c.rules, rule{r.Ranks, r.PowerOfTwo, r.Shared, use})
	}
	for _, i := range f.Instead {
		was, known := of.Lookup(i.Of)
		use, alsoKnown := of.Lookup(i.Use)
		if !known || !alsoKnown || unless[i.Unless] == nil {
			errs = append(errs, fmt.Errorf("instead: %v", i))
		}
		c.instead = append(c.instead, instead{was, use, unless[i.Unless]})
	}
	return c, errors.Join(errs...)
}

// before are these rules, then the rules of a base, whose sizes are meant alike; nil: it has none.
func (c *choices) before(base *choices) *choices {
	if base == nil {
		return c
	}
	return &choices{base.ofBlock, slices.Concat(c.rules, base.rules), slices.Concat(c.instead, base.instead)}
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// readChoices reads a list such as "<8192 doubling, <=65536 ring, pipeline/8192": after a
// slash, the segment.
func readChoices(of *Operation, list string) (all []choice, err error) {
	for one := range strings.SplitSeq(list, ",") {
		limit, name, limited := strings.Cut(strings.TrimSpace(one), " ")
		c := choice{}
		if !limited {
			limit, name = "", limit
		} else if c.below, err = readLimit(limit); err != nil {
			return nil, err
		}
		name, segment, cut := strings.Cut(name, "/")
		if cut {
			if c.segment, err = strconv.ParseInt(segment, 10, 64); err != nil || c.segment < 1 {
				return nil, fmt.Errorf("%q must be a segment in bytes", segment)
			}
		}
		var known bool
		if c.by, known = of.Lookup(name); !known {
			return nil, fmt.Errorf("no algorithm is called %q", name)
		}
		all = append(all, c)
	}
	if last := all[len(all)-1]; last.below != 0 {
		return nil, fmt.Errorf("%q: the last choice must have no limit", list)
	}
	return all, nil
}

func readLimit(limit string) (below int64, err error) {
	number, ok := strings.CutPrefix(limit, "<")
	if !ok {
		return 0, fmt.Errorf("%q must be a limit such as <8192 or <=8192", limit)
	}
	number, equal := strings.CutPrefix(number, "=")
	if below, err = strconv.ParseInt(number, 10, 64); err != nil || below < 1 {
		return 0, fmt.Errorf("%q must be a limit such as <8192 or <=8192", limit)
	}
	if equal {
		below++
	}
	return below, nil
}
