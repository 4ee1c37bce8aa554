package cli

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// usualWidth is the number of columns for what is no terminal.
const usualWidth = 80

// leastWidth is the smallest number of columns to which output is fitted.
const leastWidth = 40

// newPrintable returns what writes to a file, a terminal or anything else, as wide as that is: COLUMNS says how wide, or the
// terminal. Colours are for terminals, unless NO_COLOR or CLICOLOR=0 forbid them; CLICOLOR_FORCE wants them everywhere.
func newPrintable(out io.Writer) *printable {
	p := &printable{out: out, width: usualWidth}
	columns := 0
	if f, ok := out.(*os.File); ok {
		columns, p.terminal = terminalColumns(f)
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		columns = n
	}
	if columns > 0 {
		p.width = max(columns, leastWidth)
	}
	p.colour = coloured(p.terminal, os.Getenv)
	return p
}

// coloured tells whether text has colours, by the conventions of the environment.
func coloured(terminal bool, env func(string) string) bool {
	forced := env("CLICOLOR_FORCE")
	switch {
	case env("NO_COLOR") != "":
		return false
	case forced != "" && forced != "0":
		return true
	}
	return terminal && env("CLICOLOR") != "0" && env("TERM") != "dumb"
}

// The styles of text on a terminal.
const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	normal = "\x1b[0m"
)

// styled writes text in a style, if there are colours.
func styled(w io.Writer, style, text string) error {
	p, ok := w.(*printable)
	if !ok || !p.colour {
		_, err := io.WriteString(w, text)
		return err
	}
	if _, err := io.WriteString(p.out, style); err != nil {
		return err
	}
	_, err := io.WriteString(p, text)
	if _, ended := io.WriteString(p.out, normal); err == nil {
		err = ended
	}
	return err
}

// sayError prints a message of one or more lines, each with its place in red.
func sayError(w *printable, message string) {
	for line := range strings.Lines(message + "\n") {
		if place, rest, ok := strings.Cut(line, ": "); ok {
			styled(w, red, place+":")
			line = " " + rest
		}
		io.WriteString(w, line)
	}
}

// widthOf is the number of columns of what is written to; 0: any number.
func widthOf(w io.Writer) int {
	if p, ok := w.(*printable); ok {
		return p.width
	}
	return 0
}

// folded breaks the lines of a text that are wider than a number of columns, between words; 0: none. What continues a line
// is indented as it is. A quoted text, a flag with its value, and a command on a separate indented line stay whole, so that they
// can be copied.
func folded(text string, width int) string {
	if width == 0 || len(text) <= width {
		return text
	}
	var all strings.Builder
	for line := range strings.Lines(text) {
		body, end := strings.CutSuffix(line, "\n")
		bare := strings.TrimLeft(body, " ")
		if indent := body[:len(body)-len(bare)]; indent != "" && strings.HasPrefix(bare, "overlapsim ") {
			all.WriteString(body)
		} else {
			all.WriteString(strings.Join(foldedLine(body, indent, width), "\n"))
		}
		if end {
			all.WriteString("\n")
		}
	}
	return all.String()
}

// foldedLine breaks a line; what continues it begins with the indent.
func foldedLine(line, indent string, width int) (lines []string) {
	if runes(line) <= width {
		return []string{line}
	}
	now := indent
	for _, word := range words(strings.TrimLeft(line, " ")) {
		switch {
		case strings.TrimSpace(now) == "":
			now += word
		case runes(now)+1+runes(word) <= width:
			now += " " + word
		default:
			lines, now = append(lines, now), indent+word
		}
	}
	return append(lines, now)
}

// words are the words of a line. A quoted text is one, and a flag with its value.
func words(line string) (all []string) {
	open := false
	for i, word := range strings.Split(line, " ") {
		if i > 0 && (open || isFlag(all[len(all)-1]) || strings.HasPrefix(word, "%")) {
			all[len(all)-1] += " " + word
		} else {
			all = append(all, word)
		}
		if quotes := strings.Count(word, "'"); open {
			open = quotes == 0
		} else {
			open = quotes == 1 && (strings.HasPrefix(word, "'") || strings.Contains(word, "='"))
		}
	}
	return all
}

// isFlag tells whether a word is a flag, whose value may follow.
func isFlag(word string) bool {
	return strings.HasPrefix(word, "--") && !strings.ContainsAny(word, " =")
}
