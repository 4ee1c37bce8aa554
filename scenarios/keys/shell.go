package keys

import "strings"

// shellPlain texts mean themselves in every shell.
var shellPlain = Pattern(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ForShell returns a word for a shell that is the text, quoted where the shell would read it otherwise.
func ForShell(text string) string {
	if shellPlain().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Flags writes settings as command-line flags, quoted for a shell.
func Flags(settings []string) string {
	var flags []string
	for _, set := range settings {
		flags = append(flags, "--set "+ForShell(set))
	}
	return strings.Join(flags, " ")
}
