package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
)

// process is a worker as seen from the engine.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
	said    *beginning
	release func() bool // of the context
}

// start starts a worker, which is killed when the context ends.
func start(ctx context.Context, command *exec.Cmd) (*process, error) {
	p := &process{command: command, said: &beginning{}}
	command.Stderr = p.said
	var err error
	if p.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = json.NewDecoder(out)
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("no process can be started: %w", err)
	}
	p.release = context.AfterFunc(ctx, func() { command.Process.Kill() })
	var hello reply
	if err := p.answers.Decode(&hello); err != nil || !hello.Ready {
		how := p.end()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := hello.err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("a process to run points ended: %w", how)
	}
	return p, nil
}

// do asks the process to run points and returns its replies; an error means that the
// process ended before the next one.
func (p *process) do(points []int) (replies []reply, err error) {
	p.said.reset()
	if _, err := fmt.Fprintln(p.in, strings.Trim(fmt.Sprint(points), "[]")); err != nil {
		return nil, err
	}
	for range points {
		var r reply
		if err := p.answers.Decode(&r); err != nil {
			return replies, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

// end lets the process end, waits for it and returns how it ended.
func (p *process) end() ending {
	p.in.Close()
	p.command.Wait()
	p.release()
	how := ending{last: p.said.line()}
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		how.signal = status.Signal()
	}
	return how
}

// beginning keeps the first bytes written to it: a Go program that crashes prints the
// reason in its first lines.
type beginning struct {
	mu   sync.Mutex
	text []byte
}

func (b *beginning) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	room := min(len(text), 4096-len(b.text))
	b.text = append(b.text, text[:room]...)
	return len(text), nil
}

func (b *beginning) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = b.text[:0]
}

// line returns the first line that is not empty.
func (b *beginning) line() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for line := range strings.Lines(string(b.text)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
