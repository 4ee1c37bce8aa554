package optimize

import "sync"

// Progress says how far a request has come.
type Progress struct {
	Text          string
	Done, Planned int // runs that have ended, of how many that are decided; the search decides the next ones by them
}

// course counts the runs of a request.
type course struct {
	lock          sync.Mutex
	done, planned int
}

// count adds runs that are decided, or that have ended.
func (c *course) count(planned, done int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.planned, c.done = c.planned+planned, c.done+done
}

// say tells how far the request has come, before it does what the text says.
func (f *finder) say(text string) {
	if f.request.Started == nil {
		return
	}
	c := &f.study.course
	c.lock.Lock()
	defer c.lock.Unlock()
	f.request.Started(Progress{f.name + ": " + text, c.done, c.planned})
}
