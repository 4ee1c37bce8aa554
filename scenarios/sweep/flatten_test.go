package sweep

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"overlapsim/sim/must"

	"pgregory.net/rapid"
)

// The numbers and texts of any object are those that package json finds.
func TestFlattenAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := must.Get(json.Marshal(drawObject(t, 3)))(t)
		if rapid.Bool().Draw(t, "spaced") {
			var spaced bytes.Buffer
			json.Indent(&spaced, text, " ", "\t")
			text = spaced.Bytes()
		}
		want, err := listed(text)
		if got := flatten(text); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: got %v, want %v, %v", text, got, want, err)
		}
	})
	for _, text := range []string{"", "3", "[{}]", "null"} {
		if got := flatten([]byte(text)); len(got) > 0 {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// named is a number or a text with the path to it.
type named struct {
	name string
	value
}

// flatten lists the numbers and texts of a JSON object.
func flatten(object []byte) (all []named) {
	values(object, func(name []byte, v value) { all = append(all, named{string(name), v}) })
	return all
}

// A text that is cut short anywhere ends what is taken from it.
func TestFlattenCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := must.Get(json.Marshal(drawObject(t, 3)))(t)
		cut := text[:rapid.IntRange(0, len(text)).Draw(t, "cut")]
		if got, all := flatten(cut), flatten(text); len(got) > len(all)+1 {
			t.Fatalf("%s: got %v, want some of %v", cut, got, all)
		}
		flatten(append(cut, rapid.SliceOf(rapid.SampledFrom([]byte(`{}[]":,\1 `))).Draw(t, "others")...))
	})
}

// drawObject returns an object of texts, numbers, lists and objects.
func drawObject(t *rapid.T, depth int) map[string]any {
	all := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		name := rapid.SampledFrom([]string{"a", "b_s", "", "\\", "\"]", "é", "\x01", "<"}).Draw(t, "name")
		all[name] = drawValue(t, depth)
	}
	return all
}

func drawValue(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case n == 0:
		return rapid.String().Draw(t, "text")
	case n == 1:
		return rapid.Bool().Draw(t, "bool")
	case n == 2:
		return nil
	case n == 3 && depth > 0:
		return []any{drawValue(t, depth-1), drawValue(t, depth-1)}
	case n == 4 && depth > 0:
		return drawObject(t, depth-1)
	}
	return rapid.Float64().Draw(t, "number")
}

// listed lists the numbers and texts of a JSON object in their order; lists
// are omitted.
func listed(record json.RawMessage) (values []named, err error) {
	decoder := json.NewDecoder(bytes.NewReader(record))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	err = listInto(&values, decoder, "")
	return values, err
}

// listInto does the same for an object whose opening brace has been read.
func listInto(values *[]named, decoder *json.Decoder, prefix string) error {
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return err
		}
		name := prefix + key.(string)
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		switch x := token.(type) {
		case json.Number:
			f, _ := strconv.ParseFloat(string(x), 64)
			*values = append(*values, named{name, value{number: f}})
		case string:
			*values = append(*values, named{name, value{text: x}})
		case json.Delim:
			if err := listGroup(values, decoder, name, x); err != nil {
				return err
			}
		}
	}
	_, err := decoder.Token()
	return err
}

// listGroup flattens an object and skips a list.
func listGroup(values *[]named, decoder *json.Decoder, name string, open json.Delim) error {
	if open == '{' {
		return listInto(values, decoder, name+".")
	}
	for decoder.More() {
		var skip json.RawMessage
		if err := decoder.Decode(&skip); err != nil {
			return err
		}
	}
	_, err := decoder.Token()
	return err
}
