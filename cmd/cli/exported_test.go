package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forOutsiders are packages whose names programs of other modules choose among, although none of ours uses them all, and single names.
var forOutsiders = []string{
	"overlapsim/workloads/collectives",                                          // algorithms, each by its name
	"overlapsim/workloads/goal",                                                 // schedules that a program reads, makes and runs
	"overlapsim/network/topology",                                               // shapes, each with its constructor
	"overlapsim/sim",                                                            // the vocabulary of a simulation
	"overlapsim/nodes/programs.Symmetric", "overlapsim/nodes/programs.Threaded", // what a program may implement
}

// exports are the exported names of packages, with their users.
type exports struct {
	declared map[string]token.Pos // by package and name
	needed   map[string]bool      // used by another package, or in a declaration that is exported
	like     map[string][]string  // names that stand in one group of constants or variables with a name, and its type
}

// Exported names are those that another package uses, that exported declarations mention, or
// among which an outsider chooses.
func TestExportedIsUsed(t *testing.T) {
	e := exports{map[string]token.Pos{}, map[string]bool{}, map[string][]string{}}
	files, packages := token.NewFileSet(), map[string]string{}
	parsed := map[string][]*ast.File{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "testdata" {
			return orSkip(err)
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		of := path.Join("overlapsim", filepath.ToSlash(folder))
		packages[of] = strings.TrimSuffix(f.Name.Name, "_test")
		parsed[of] = append(parsed[of], f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for of, all := range parsed {
		for _, f := range all {
			e.uses(of, f, packages)
			if !strings.HasSuffix(files.Position(f.Pos()).Filename, "_test.go") && f.Name.Name != "main" && !strings.Contains(of, "/internal/") {
				e.declares(of, f)
			}
		}
	}
	if len(e.declared) < 1000 {
		t.Errorf("saw only %d exported names", len(e.declared))
	}
	for _, name := range slices.Sorted(maps.Keys(e.declared)) {
		if !e.wanted(name) {
			t.Errorf("%s: %s is used by no other package; it may begin with a small letter", files.Position(e.declared[name]), name)
		}
	}
}

// orSkip skips a folder, or returns an error.
func orSkip(err error) error {
	if err != nil {
		return err
	}
	return filepath.SkipDir
}

// uses notes the names of other packages that a file uses.
func (e *exports) uses(of string, f *ast.File, packages map[string]string) {
	imported := map[string]string{}
	for _, i := range f.Imports {
		from := strings.Trim(i.Path.Value, `"`)
		name := packages[from]
		if i.Name != nil {
			name = i.Name.Name
		}
		if imported[name] = from; from == of { // an outside test of the package
			delete(imported, name)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" {
				e.needed[imported[x.Name]+"."+s.Sel.Name] = true
			}
		}
		return true
	})
}

// declares notes what a file exports.
func (e *exports) declares(of string, f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				e.mention(of, d.Type)
			}
			if d.Recv == nil {
				e.declare(of, d.Name)
			} else if d.Name.Name == "Error" { // errors are there for errors.As
				e.mention(of, d.Recv)
			}
		case *ast.GenDecl:
			e.group(of, d)
		}
	}
}

func (e *exports) declare(of string, name *ast.Ident) {
	if name.IsExported() {
		e.declared[of+"."+name.Name] = name.Pos()
	}
}

// mention notes the names in an exported declaration.
func (e *exports) mention(of string, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			e.needed[of+"."+name.Name] = true
		}
		return true
	})
}

// group notes the types, constants and variables of a declaration.
func (e *exports) group(of string, d *ast.GenDecl) {
	var together []string
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			e.declare(of, s.Name)
			if s.Name.IsExported() {
				e.mention(of, &ast.FieldList{List: exportedFields(s)})
			}
		case *ast.ValueSpec:
			if s.Type != nil {
				if d.Tok == token.VAR {
					e.mention(of, s.Type)
				}
				if kind, ok := s.Type.(*ast.Ident); ok {
					together = append(together, of+"."+kind.Name)
				}
			}
			for _, name := range s.Names {
				e.declare(of, name)
				together = append(together, of+"."+name.Name)
			}
		}
	}
	if d.Lparen.IsValid() {
		for _, name := range together {
			e.like[name] = together
		}
	}
}

// exportedFields are the fields of a type that others see.
func exportedFields(s *ast.TypeSpec) (all []*ast.Field) {
	whole, ok := s.Type.(*ast.StructType)
	if !ok {
		return []*ast.Field{{Type: s.Type}}
	}
	for _, f := range whole.Fields.List {
		if len(f.Names) == 0 || f.Names[0].IsExported() {
			all = append(all, f)
		}
	}
	return all
}

// wanted tells whether a name is needed outside. The constants of a group are needed together, or
// with their type; so are errors.
func (e *exports) wanted(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return e.needed[name] || strings.HasPrefix(name[dot+1:], "Err") ||
		slices.Contains(forOutsiders, name) || slices.Contains(forOutsiders, name[:dot]) ||
		slices.ContainsFunc(e.like[name], func(other string) bool { return e.needed[other] })
}
