package laws

import "errors"

// Judge checks laws on given cases.
type Judge struct{ hunter *hunter }

// NewJudge returns a judge that writes cases into a folder.
func NewJudge(dir string, command Command) (*Judge, error) {
	w, err := newHunter(dir, command)
	return &Judge{w}, err
}

// Faults checks every law on a case. Laws with random choices are checked several times.
func (j *Judge) Faults(c Case) (all []*Fault) {
	w := j.hunter
	w.faults = map[string]*Fault{}
	t := newTrial(w.lab, w.tables, c, 0)
	for _, law := range Laws {
		for again := range uint64(askedOften) {
			seed := law.seedOf(again)
			t.draw = newDraw(w.tables, seed)
			if err := law.ask(t); err != nil && !errors.Is(err, errNotFor) && !isOdd(err) {
				w.note(law, err.Error(), 0, c)
			}
			if chose := t.draw.Uint64() != newDraw(w.tables, seed).Uint64(); !chose {
				break
			}
		}
	}
	for _, kind := range sortedKeys(w.faults) {
		all = append(all, w.faults[kind])
	}
	return all
}
