package validation

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
)

// MachineFile writes the machine that a fit found: the one that it began from, with the values
// found. File is where it will be, rows the file that the fit used.
func (r *Report) MachineFile(file, rows string) ([]byte, error) {
	base := r.Fit.machine
	if files.IsFile(r.Machine) {
		whole, err := filepath.Abs(r.Machine)
		if err != nil {
			return nil, err
		}
		base = whole
	}
	root := &keys.Node{Shape: keys.Mapping}
	for _, p := range r.Fit.Parameters {
		for _, path := range p.at.paths {
			source := fmt.Sprintf("validate %s: %s, from %s of %s", r.Set.Name, p.Name, keys.Plural(r.Fit.Rows, "row"), filepath.Base(rows))
			put(root, strings.Split(strings.TrimPrefix(path, "machine."), "."),
				fmt.Sprintf("{value: %s, origin: fitted, source: %s}", p.Value, strconv.Quote(source)))
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# Written by 'overlapsim validate %s --fit-rows %s'; the same rows give the same file.\n", r.Set.Name,
		filepath.Base(rows))
	fmt.Fprintf(&out, "title: %s\nbase: %s\n", strconv.Quote(stem(file)+": "+r.Fit.machine+", fitted to rows of "+filepath.Base(rows)),
		strconv.Quote(base))
	write(&out, root, "")
	_, err := files.ReadMachine(file, []byte(out.String()))
	return []byte(out.String()), err
}

// stem is the name of a file without folder and ending.
func stem(file string) string { return strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)) }

// put gives a path of a tree a text.
func put(n *keys.Node, path []string, text string) {
	if len(path) == 1 {
		n.Put(path[0], &keys.Node{Shape: keys.Scalar, Text: text})
		return
	}
	group := n.At(path[0])
	if group == nil {
		group = &keys.Node{Shape: keys.Mapping}
		n.Put(path[0], group)
	}
	put(group, path[1:], text)
}

// write writes a tree of texts as YAML.
func write(out *strings.Builder, n *keys.Node, indent string) {
	for i, name := range n.Names {
		if v := n.Values[i]; v.Shape == keys.Mapping {
			fmt.Fprintf(out, "%s%s:\n", indent, name)
			write(out, v, indent+"  ")
		} else {
			fmt.Fprintf(out, "%s%s: %s\n", indent, name, v.Text)
		}
	}
}
