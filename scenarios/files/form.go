package files

import (
	"sync"

	"overlapsim/scenarios/keys"
)

// form is the content of a kind of file with the key table that fills it. Tables are long,
// so that one form takes many files, one after the other.
type form[F any] struct {
	content *F
	table   keys.Table
	groups  keys.Groups
	clear   func() // empties the content
}

func newForm[F any](content *F, table keys.Table) *form[F] {
	empty, restore := *content, table.KeepBeside(content)
	return &form[F]{content, table, table.Groups(), func() {
		*content = empty
		restore() // also what content only points to
	}}
}

// decoder returns a decoder that fills the form.
func (f *form[F]) decoder(problems *keys.Problems) *keys.Decoder {
	return &keys.Decoder{Table: f.table, Groups: f.groups, Problems: problems}
}

// forms are the forms of a kind of file that are not in use at the moment.
type forms[F any] struct {
	free sync.Pool
	make func() *form[F]
}

// take returns an empty form. The caller returns it when nothing refers to its content any more.
func (f *forms[F]) take() *form[F] {
	if free, ok := f.free.Get().(*form[F]); ok {
		return free
	}
	return f.make()
}

// give takes a form back.
func (f *forms[F]) give(used *form[F]) {
	used.clear()
	f.free.Put(used)
}
