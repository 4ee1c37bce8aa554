package papers

import "overlapsim/scenarios"

// required and optional are keys of the files of this package.
func required(key string, to any, doc string) scenarios.Row {
	row := optional(key, to, doc)
	row.Needs = scenarios.Required
	return row
}

func optional(key string, to any, doc string) scenarios.Row {
	return scenarios.Row{Path: key, To: to, Is: scenarios.Number, Range: scenarios.Any, Doc: doc}
}

// positive is a required key with a positive count.
func positive(key string, to any, doc string) scenarios.Row {
	return scenarios.Row{Path: key, To: to, Is: scenarios.Count, Range: scenarios.Positive, Needs: scenarios.Required, Doc: doc}
}

// readExpression reads an expression. Its names are checked when the whole paper has been
// read.
func readExpression(t scenarios.Tree) (e Expression) {
	text := t.Text()
	if text == "" {
		return e
	}
	e, err := parse(text, t.Place())
	if err != nil {
		t.Complain("%s", err)
	}
	return e
}

// readDefinitions reads expressions with their names.
func readDefinitions(t scenarios.Tree) (all []Definition) {
	for name, v := range t.Entries() {
		all = append(all, Definition{name, readExpression(v)})
	}
	return all
}
