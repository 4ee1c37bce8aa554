package files

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	_ "overlapsim/workloads/chakra"   // registers its workload
	_ "overlapsim/workloads/gpuhalo"  // registers its workload
	_ "overlapsim/workloads/gputrace" // registers its workload
	"overlapsim/workloads/training"
)

// WorkloadRows returns the key table of a workload's parameters, taken from
// the tags of its fields; the targets hold the defaults.
func WorkloadRows(w workloads.Workload) []keys.Row { return keys.Tagged(w) }

// decodeWorkload makes the workload that a mapping names, and says what kind it is. If its keys are wrong there is only the kind.
func decodeWorkload(n *keys.Node, problems *keys.Problems) (workloads.Workload, string) {
	if n.Shape != keys.Mapping {
		if n.Shape != keys.Broken {
			problems.Add(n.Place, "workload", "must be a mapping such as {name: ft-pencils}, got %s", n.Shape)
		}
		return nil, ""
	}
	name := n.At("name")
	if other := n.At("kind"); name == nil && other != nil {
		problems.Add(other.Place, "workload.kind", "unknown key, did you mean name?")
		return nil, ""
	}
	if name == nil || name.Shape != keys.Scalar {
		problems.Add(n.Place, "workload.name", "is missing; %s", keys.Instead("", workloads.Names()))
		return nil, ""
	}
	kind, ok := workloads.Lookup(name.Text)
	if !ok {
		instead := keys.InsteadOf(name.Text, workloads.Names(), workloads.Title)
		if _, operation := OperationOf(name.Text); operation != "" {
			instead = "write {name: " + operation + "}"
		} else if m := training.Model(name.Text); m != nil {
			instead = "write {name: transformer, " + m.Shape + "}"
		}
		problems.Add(name.Place, "workload.name", "no workload is called %s; %s", keys.Quote(name.Text), instead)
		return nil, ""
	}
	w := kind.New()
	var found keys.Problems
	rows := append(keys.Table{{Path: "name", To: new(string), Needs: keys.Required, Doc: "the kind of workload"}}, WorkloadRows(w)...)
	d := keys.Decoder{Table: rows, Problems: &found, Elsewhere: outside}
	d.Decode(n, "workload")
	if r, ok := w.(workloads.Recorded); ok {
		describe(r, found)
	}
	*problems = append(*problems, found...)
	if len(found) > 0 {
		return nil, kind.Name
	}
	return w, kind.Name
}

// describe says of unknown keys of a recorded workload that the kind which describes such workloads has them.
func describe(w workloads.Recorded, found keys.Problems) {
	name, instead := w.Description()
	kind, _ := workloads.Lookup(name)
	rows := keys.Table(WorkloadRows(kind.New()))
	for i := range found {
		if _, ok := rows.Row(strings.TrimPrefix(found[i].Key, "workload.")); ok && found[i].Kind == keys.UnknownKey {
			found[i].Message = fmt.Sprintf("is a key of %s, and %s", name, instead)
		}
	}
}

// overriddenIn are the keys in the mapping of a workload that another key replaces: those that settings give, or that stand next to it.
func overriddenIn(w workloads.Workload, n *keys.Node) (all []given) {
	over, ok := w.(workloads.Overridden)
	if !ok {
		return nil
	}
	replaced, by := over.Overridden()
	for i, name := range n.Names {
		if slices.Contains(replaced, name) && (n.Values[i].Place.Flag != "" || n.At(by).Place.Flag == "") {
			all = append(all, given{key: keys.Join("workload", name)})
		}
	}
	return all
}

// outside is the path of a word outside of the workload; "": there is none.
func outside(word string) string {
	if path := Meant(word); !strings.HasPrefix(path, "workload.") {
		return path
	}
	return ""
}

// placeErrors turns the errors of a workload about its parameters into problems at their
// keys.
func placeErrors(err error, n *keys.Node, problems *keys.Problems) {
	for _, one := range keys.Unjoin(err) {
		var wrong *workloads.KeyError
		if errors.As(one, &wrong) {
			wrong = blamed(one, wrong, n)
			message := wrong.Message
			if value := n.At(keys.Inner(wrong.Key)); value != nil && keys.Several(value.Text) != "" {
				message += "; " + keys.Several(value.Text)
			}
			at := n.Nearest(keys.Inner(wrong.Key))
			*problems = append(*problems, keys.Problem{Place: at, Key: keys.Join("workload", wrong.Key), Message: message,
				Within: at.File != "" && strings.HasPrefix(message, at.File)})
		} else {
			problems.Add(n.Place, "workload", "%s", one)
		}
	}
}

// blamed is an error at the key that the user gave by a flag, of those that have a part in it: the last one, as the value that a search tries.
func blamed(err error, wrong *workloads.KeyError, n *keys.Node) *workloads.KeyError {
	var several *workloads.KeysError
	if !errors.As(err, &several) {
		return wrong
	}
	last := 0
	if value := n.At(wrong.Key); value != nil {
		last = value.Place.Number
	}
	for _, key := range several.Others {
		if value := n.At(key); value != nil && value.Place.Number > last {
			last, wrong = value.Place.Number, &workloads.KeyError{Key: key, Message: several.There}
		}
	}
	return wrong
}
