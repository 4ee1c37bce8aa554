package goal

import (
	"bytes"
	"io"
)

const (
	bufferSize = 256 << 10
	maxLine    = 1 << 20 // bytes
)

// lines cuts a stream into lines.
type lines struct {
	in       io.Reader
	buf      []byte
	pos, end int
	got      int64 // bytes read from in
	number   int   // number of the line last returned, from 1
	eof      bool
	tooLong  bool
	err      error // of in, other than io.EOF
}

func newLines(in io.Reader) *lines {
	return &lines{in: in, buf: make([]byte, bufferSize)}
}

// next returns the next line with its newline; the last line gets one if it lacks it. It
// returns nil at the end of the stream, or after a line of more than maxLine bytes. The
// line is valid until the next call.
func (l *lines) next() []byte {
	searched := 0
	for {
		if n := bytes.IndexByte(l.buf[l.pos+searched:l.end], '\n'); n >= 0 {
			return l.take(searched + n + 1)
		}
		searched = l.end - l.pos
		if l.eof || l.tooLong {
			break
		}
		l.fill()
	}
	if searched == 0 || l.tooLong {
		return nil
	}
	l.buf[l.end] = '\n'
	l.end++
	return l.take(searched + 1)
}

func (l *lines) take(n int) []byte {
	line := l.buf[l.pos : l.pos+n]
	l.pos += n
	l.number++
	return line
}

// fill moves the remaining text to the front and reads more after it.
func (l *lines) fill() {
	l.end = copy(l.buf, l.buf[l.pos:l.end])
	l.pos = 0
	if l.end >= maxLine {
		l.tooLong = true
		l.number++
		return
	}
	if l.end > len(l.buf)/2 {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	n, err := l.read(l.buf[l.end : len(l.buf)-1])
	l.end += n
	if err != nil {
		l.eof = true
		if err != io.EOF {
			l.err = err
		}
	}
}

// passed returns how many bytes were returned in lines.
func (l *lines) passed() int64 { return l.got - int64(l.end-l.pos) }

// read reads at least a byte or returns an error.
func (l *lines) read(b []byte) (n int, err error) {
	for range 100 {
		n, err = l.in.Read(b)
		if l.got += int64(n); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
