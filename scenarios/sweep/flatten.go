package sweep

import (
	"bytes"
	"encoding/json"
)

// value is a number or a text of a JSON object.
type value struct {
	number float64
	text   string
}

// values gives the numbers and texts of a JSON object, in their order, each with the path to it: names
// with points between them. Lists are omitted. A text that is not an object has none; one that is cut
// short has those before the cut.
func values(object []byte, take func(name string, v value)) {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, _ := d.Token(); open == json.Delim('{') {
		members(d, "", take)
	}
}

// members gives the values of an object whose opening brace has been read.
func members(d *json.Decoder, prefix string, take func(name string, v value)) (err error) {
	for err == nil && d.More() {
		var name, of json.Token
		if name, err = d.Token(); err == nil {
			of, err = d.Token()
		}
		switch of := of.(type) {
		case float64:
			take(prefix+name.(string), value{number: of})
		case string:
			take(prefix+name.(string), value{text: of})
		case json.Delim:
			err = group(d, of, prefix+name.(string)+".", take)
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	return err
}

// group gives the values of an object, or skips a list.
func group(d *json.Decoder, open json.Delim, prefix string, take func(name string, v value)) (err error) {
	if open == '{' {
		return members(d, prefix, take)
	}
	for err == nil && d.More() {
		var skip json.RawMessage
		err = d.Decode(&skip)
	}
	if err == nil {
		_, err = d.Token()
	}
	return err
}
