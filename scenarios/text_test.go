package scenarios

// studyText checks the text of a scenario that is not in a file.
func studyText(text string, settings []string) (*Study, error) {
	return Read("text.yaml", []byte(text), settings)
}
