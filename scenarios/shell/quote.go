// Package shell writes texts into lines for shells.
package shell

import (
	"strings"

	"overlapsim/scenarios/patterns"
)

// plain texts mean themselves in every shell.
var plain = patterns.New(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Quote returns a word for a shell that is the text, quoted where the shell would read it otherwise.
func Quote(text string) string {
	if plain().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
