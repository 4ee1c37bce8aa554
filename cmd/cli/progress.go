package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress is a line on a terminal that names the current run and, if it takes long, for
// how long it has been running. If the output is not a terminal, nothing is printed.
type progress struct {
	out         io.Writer // nil: not a terminal
	width       int       // of the terminal
	done, total int
	weights     []float64 // of the steps, the seconds that they are expected to take; nil: not known, all alike
	name        string
	share       float64       // of all that may have to be done, what is done at least, where the number of steps is not known
	most        time.Duration // that re-runs may take, before their share is known; 0: not known
	first       time.Time     // when the first step began
	begun       time.Time     // of the step
	lock        sync.Mutex
	pace        pace // of what is reached
	stop        chan struct{}
}

// newProgress returns a line for work in a number of steps.
func newProgress(out *printable, total int) *progress {
	p := &progress{total: total, stop: make(chan struct{})}
	if out.terminal {
		p.out, p.width = out.out, out.width
		go p.tick()
	}
	return p
}

// tick rewrites the line every second.
func (p *progress) tick() {
	for {
		select {
		case <-p.stop:
			return
		case now := <-time.After(time.Second):
			p.lock.Lock()
			if p.done > 0 {
				p.write(now)
			}
			p.lock.Unlock()
		}
	}
}

// step says that the next step has begun.
func (p *progress) step(name string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.done++
	p.name, p.begun = name, time.Now()
	if p.done == 1 {
		p.first = p.begun
	}
	p.write(p.begun)
}

// again says that the next of some re-runs has begun, and the share of all of them that is done.
func (p *progress) again(change string, share float64) {
	p.lock.Lock()
	p.share = share
	p.lock.Unlock()
	p.step("again, " + change)
}

func (p *progress) write(now time.Time) {
	if p.out != nil {
		since := p.begun
		if p.total == 1 {
			since = p.first
		}
		name, took := p.text(now.Sub(since))
		if name != "" {
			took += p.left(now)
		}
		p.say(string(literal([]byte(name))), took)
	}
}

// mostLeft says how much longer re-runs take at most, if they take as long as those that are done. Some of
// them may not be needed.
func (p *progress) mostLeft(now time.Time) string {
	past := p.begun.Sub(p.first)
	if left := p.most - now.Sub(p.first); left > 0 && (past < time.Second || p.share == 0) {
		return fmt.Sprintf(", at most about %s left", left.Round(time.Second))
	}
	if past < time.Second || p.share == 0 {
		return ""
	}
	text := fmt.Sprintf(", %.0f %% done", 100*p.share)
	left := time.Duration(float64(past)*(1-p.share)/p.share) - now.Sub(p.begun)
	if left = left.Round(time.Second); left <= 0 {
		return text + unexpected
	}
	return fmt.Sprintf("%s, at most about %s left", text, left)
}

// left says about how much longer the steps take: as those before this one did, by their weights. Before two are done and have
// taken a second, weights are believed; without them it says nothing.
func (p *progress) left(now time.Time) string {
	if p.share > 0 || p.most > 0 || p.done > p.total {
		return p.mostLeft(now)
	}
	past, since := p.begun.Sub(p.first), now.Sub(p.begun)
	before, rest := float64(p.done-1), float64(p.total-p.done+1)
	pace := past.Seconds() / before
	measured := p.done >= 3 && past >= time.Second
	if p.weights != nil {
		before, rest = sum(p.weights[:p.done-1]), sum(p.weights[p.done-1:])
		if pace = past.Seconds() / before; !measured {
			measured, pace = past+since >= leastWait, 1
		}
	}
	left := time.Duration(pace * rest * float64(time.Second))
	switch left -= since; {
	case !measured:
		return ""
	case left.Round(time.Second) <= 0:
		return unexpected
	case p.weights != nil && p.total == 1: // as it was expected to take
		return fmt.Sprintf(", about %.0f %% done, %s left", 100*float64(since)/float64(since+left), left.Round(time.Second))
	}
	return fmt.Sprintf(", about %s left", left.Round(time.Second))
}

// unexpected is printed for a run that takes longer than those before it, or the forecast, led to
// expect.
const unexpected = ", longer than was expected"

// leastWait is the time from which a step says how long it has taken.
const leastWait = 2 * time.Second

func sum(all []float64) (total float64) {
	for _, x := range all {
		total += x
	}
	return total
}

// say writes a line in place of the one before: what is done, and how far it is. A line that does not fit the terminal would stay there, so
// what is done is cut.
func (p *progress) say(what, far string) {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K"+cut(what, p.width-1-runes(far))+far)
	}
}

// cut is the beginning of a text, of a number of columns.
func cut(text string, columns int) string {
	if runes(text) <= columns {
		return text
	}
	return string([]rune(text)[:max(0, columns-1)]) + "…"
}

// reached says how many of some things are done, and how much longer the others take.
func (p *progress) reached(text string, done, total int) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.say(fmt.Sprintf("[%d/%d] %s", done, total, text), p.pace.left(time.Now(), done, total))
}

// pace measures how fast things are done: when it began, and how many were done then.
type pace struct {
	since time.Time
	from  int
}

// left says how much longer things take if the others are like those that are done. It is
// known once two are done and have taken a second.
func (p *pace) left(now time.Time, done, total int) string {
	if p.since.IsZero() {
		p.since, p.from = now, done
	}
	past, fresh := now.Sub(p.since), done-p.from
	if fresh < 2 || past < time.Second {
		return ""
	}
	left := past / time.Duration(fresh) * time.Duration(max(0, total-done))
	return fmt.Sprintf(", about %s left", left.Round(time.Second))
}

// text is what is done, and how long it has taken, given the time since the step began.
func (p *progress) text(since time.Duration) (name, took string) {
	name = p.name
	if p.total > 1 {
		name = fmt.Sprintf("[%d/%d] %s", p.done, p.total, p.name)
	} else if since < leastWait {
		return "", ""
	}
	if since >= leastWait {
		took = fmt.Sprintf(", %d s", int(since.Seconds()))
	}
	return name, took
}

// clear removes the line.
func (p *progress) clear() {
	close(p.stop)
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.out = nil
	}
}
