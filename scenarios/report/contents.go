package report

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"
)

// anchor is an entry of the line of contents.
type anchor struct{ ID, Name string }

// Open begins a section of the page and enters it into the contents.
func (v *view) Open(title string) template.HTML {
	id := v.enter(title)
	return template.HTML(fmt.Sprintf("<section id=%q>\n<h2>%s</h2>", id, template.HTMLEscapeString(title)))
}

// enter adds a title to the contents and returns the name of its anchor, which is unique on the page.
func (v *view) enter(title string) string {
	base := slug(title)
	id := base
	for n := 2; v.ids[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	v.ids[id] = true
	v.Contents = append(v.Contents, anchor{id, entryOf(title)})
	return id
}

// mostSlug and mostShort are the largest numbers of characters of an anchor's name, and of a title in the contents.
const mostSlug, mostShort = 40, 28

// slug makes the name of an anchor from a title: "What would help" is what-would-help. None is a name of the timeline's address, as these
// have "=".
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(entryOf(title)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	text := strings.Join(words, "-")
	if runes := []rune(text); len(runes) > mostSlug {
		text = string(runes[:mostSlug])
	}
	if text == "" {
		return "part"
	}
	return text
}

// entryOf is a title without what explains it: what follows a colon, or stands in parentheses.
func entryOf(title string) string {
	for _, mark := range []string{": ", " (", ", "} {
		if before, _, found := strings.Cut(title, mark); found && before != "" {
			title = before
		}
	}
	if runes := []rune(title); len(runes) > mostShort {
		return strings.TrimSpace(string(runes[:mostShort-1])) + "…"
	}
	return title
}
