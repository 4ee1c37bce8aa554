package papers

import "overlapsim/scenarios/keys"

// required and optional are keys of the files of this package.
func required(key string, to any, doc string) keys.Row {
	row := optional(key, to, doc)
	row.Needs = keys.Required
	return row
}

func optional(key string, to any, doc string) keys.Row {
	return keys.Row{Path: key, To: to, Is: keys.Number, Range: keys.Any, Doc: doc}
}

// positive is a required key with a positive count.
func positive(key string, to any, doc string) keys.Row {
	return keys.Row{Path: key, To: to, Is: keys.Count, Range: keys.Positive, Needs: keys.Required, Doc: doc}
}

// readExpression reads an expression. Its names are checked when the whole paper has been
// read.
func readExpression(t keys.Tree) (e Expression) {
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
func readDefinitions(t keys.Tree) (all []Definition) {
	for name, v := range t.Entries() {
		all = append(all, Definition{name, readExpression(v)})
	}
	return all
}
