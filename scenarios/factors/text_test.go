package factors

import "overlapsim/scenarios"

// A scenario that is correct.
const goodText = "machine: jacquard\nworkload: {name: ft-pencils}\nranks: 32\n"

// studyText checks the text of a scenario that is not in a file.
func studyText(text string, settings []string) (*scenarios.Study, error) {
	return scenarios.Read("text.yaml", []byte(text), settings)
}
