package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress is a line on a terminal that names the current run and, if it takes long, for
// how long it has been running. If the output is not a terminal, nothing is printed.
type progress struct {
	out         io.Writer // nil: not a terminal
	done, total int
	name        string
	begun       time.Time // of the step
	lock        sync.Mutex
	stop        chan struct{}
}

// newProgress returns a line for work in a number of steps.
func newProgress(out io.Writer, total int) *progress {
	p := &progress{total: total, stop: make(chan struct{})}
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.out = out
			go p.tick()
		}
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
				p.write(now.Sub(p.begun))
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
	p.write(0)
}

func (p *progress) write(since time.Duration) {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K"+p.text(since))
	}
}

// text is the line, given the time since the step began.
func (p *progress) text(since time.Duration) string {
	line := p.name
	if p.total > 1 {
		line = fmt.Sprintf("[%d/%d] %s", p.done, p.total, p.name)
	} else if since < 2*time.Second {
		return ""
	}
	if since >= 2*time.Second {
		line += fmt.Sprintf(", %d s", int(since.Seconds()))
	}
	return line
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
