package sweep

import (
	"encoding/json"

	"overlapsim/scenarios/outcomes"
)

// value is a number or a text of a JSON object.
type value struct {
	number float64
	text   string
}

// values gives the numbers and texts of a JSON object, in their order, each with the path to it: names
// with points between them. Lists are omitted. A text that is not an object has none; one that is cut
// short has those before the cut.
func values(object []byte, take func(name string, v value)) error {
	return outcomes.Members(object, func(name string, d *json.Decoder) error {
		var of json.RawMessage
		if err := d.Decode(&of); err != nil {
			return err
		}
		switch v := (value{}); of[0] {
		case '{':
			return values(of, func(inside string, v value) { take(name+"."+inside, v) })
		case '[', 't', 'f', 'n':
		case '"':
			json.Unmarshal(of, &v.text) // which the decoder has read
			take(name, v)
		default:
			if err := json.Unmarshal(of, &v.number); err != nil {
				return err // too large
			}
			take(name, v)
		}
		return nil
	})
}
