package keys

import (
	"reflect"
	"strings"
	"testing"

	"overlapsim/sim"
)

type entry struct {
	Name  string   `key:"name" unit:"text" needs:"required" doc:"its name"`
	Time  sim.Time `key:"time" unit:"time" doc:"its time"`
	After []string `key:"after" unit:"text" doc:"names"`
	Sizes []int    `key:"sizes" unit:"count" doc:"sizes"`
	Flag  bool     `key:"flag" unit:"flag" doc:"a flag"`
}

type withEntries struct {
	All []entry `key:"all" unit:"list" needs:"required" doc:"entries"`
}

// A list of mappings is read entry by entry, and can be read again after it is written.
func TestRecords(t *testing.T) {
	var problems Problems
	var first withEntries
	const text = `all: [{name: a, time: 3us}, {name: "b: c", after: [a, "x, y"], sizes: [1, 2], flag: true}]`
	ReadTree("f.yaml", []byte(text), &problems).Decode(Tagged(&first)...)
	want := []entry{{Name: "a", Time: 3 * sim.Microsecond}, {Name: "b: c", After: []string{"a", "x, y"}, Sizes: []int{1, 2}, Flag: true}}
	if problems != nil || !reflect.DeepEqual(first.All, want) {
		t.Fatalf("%v: read %+v", problems, first.All)
	}
	var again withEntries
	ReadTree("g.yaml", []byte("all: "+Tagged(&first)[0].Default()), &problems).Decode(Tagged(&again)...)
	if problems != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("%v: %s is read as %+v", problems, Tagged(&first)[0].Default(), again)
	}
}

// Mistakes in entries have their places.
func TestRecordMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"all: []":                               "f.yaml:1:1: all: is an empty list; give at least one entry",
		"all: {}":                               "f.yaml:1:1: all: must be a list of mappings, got a mapping",
		"all: [{name: a, time: 3}, {tme: 3us}]": "f.yaml:1:17: all[0].time: must be a time such as 3us, got 3, which has no unit",
		"all:\n- {name: a}\n- {tme: 3us}":       "f.yaml:3:4: all[1].tme: unknown key, did you mean time?",
		"all:\n- 3":                             "f.yaml:2:3: all[0]: must be a mapping of keys (name, time, after, sizes, flag), got a single value",
	} {
		var problems Problems
		ReadTree("f.yaml", []byte(text), &problems).Decode(Tagged(&withEntries{})...)
		if problems == nil || !strings.Contains(problems.Error(), want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
}
