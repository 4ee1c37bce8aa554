package keys

import (
	"math/big"
	"strconv"
	"strings"
)

// factorForm is a change that multiplies the present value: x0.5, x2.
var factorForm = Pattern(`^x((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?)$`)

// IsFactor tells whether the text of a setting multiplies the present value instead of
// replacing it, and by which factor.
func IsFactor(text string) (by *big.Rat, ok bool) {
	if !strings.HasPrefix(text, "x") { // as is usual
		return nil, false
	}
	form := factorForm().FindStringSubmatch(text)
	if form == nil || len(text) > longest {
		return nil, false
	}
	return new(big.Rat).SetString(form[1])
}

// factor multiplies a value of a tree.
type factor struct {
	text string // as written: x0.5
	at   Place
	path string // of the key that it was written for
	by   *big.Rat
}

// factorOf returns the factor of a node, with or without an origin; ok is false if it has
// none.
func factorOf(n *Node, path string) (factor, bool) {
	n = stated(n)
	if n.Shape != Scalar {
		return factor{}, false
	}
	by, ok := IsFactor(n.Text)
	return factor{n.Text, n.Place, path, by}, ok
}

// multiply replaces a factor by the product with the value that the key of n holds, and
// returns the key to put it under. If n gives the same quantity under its other name,
// that is the other key. A value that is not a factor stays as it is.
func (o Overlay) multiply(n *Node, path, step string, value *Node) (string, *Node) {
	f, ok := factorOf(value, path)
	if !ok {
		return step, value
	}
	old := n.child(step)
	if other, known := o.Alternatives[path]; old == nil && known {
		_, key := Split(other)
		if old = n.child(key); old != nil && f.by.Sign() != 0 {
			step, f.by = key, new(big.Rat).Inv(f.by)
		}
	}
	if old == nil {
		return step, value // the decoder reports what is missing
	}
	scaled := f.of(stated(old), step, o.Problems)
	if value.Shape == Mapping {
		value = value.Copy()
		value.Put("value", scaled)
		return step, value
	}
	return step, scaled
}

// of returns a value multiplied. In a list it multiplies each entry; in an entry with
// keys, the time, the gap per byte and the rate. Some units can be written either way up;
// the key then decides what is multiplied: x2 of a bandwidth is twice the bandwidth also
// if the file gives a time per byte.
func (f factor) of(n *Node, key string, problems *Problems) *Node {
	scaled := &Node{Shape: n.Shape, Place: f.at}
	switch n.Shape {
	case Scalar:
		scaled.Text, scaled.note = f.scale(n.Text, key, problems), f.text+" of "+n.Text
	case List:
		for _, item := range n.Items {
			scaled.Items = append(scaled.Items, f.entry(item, key, problems))
		}
	case Mapping:
		problems.Add(f.at, f.path, "is a group of keys, and %s multiplies one value", f.text)
		scaled.Shape = Broken
	default:
		scaled.Shape = Broken
	}
	return scaled
}

// entry multiplies an entry of a list. A piece of a curve of bandwidths is a time and a
// gap per byte; both shrink as the bandwidth grows.
func (f factor) entry(n *Node, key string, problems *Problems) *Node {
	if n.Shape != Mapping {
		return f.of(n, key, problems)
	}
	cost := f
	if key == "bandwidth" && f.by.Sign() != 0 {
		cost.by = new(big.Rat).Inv(f.by)
	}
	scaled := n.Copy()
	scaled.Place = f.at
	for i, name := range scaled.Names {
		switch name {
		case "time", "per_byte":
			scaled.Values[i] = cost.of(stated(n.Values[i]), name, problems)
		case "rate":
			scaled.Values[i] = f.of(stated(n.Values[i]), name, problems)
		}
	}
	return scaled
}

// stated returns a value without its origin.
func stated(n *Node) *Node {
	if value := n.At("value"); n.Shape == Mapping && value != nil {
		return value
	}
	return n
}

// origin says, in a message, how the value of a node was computed.
func (n *Node) origin() string {
	if _, ok := IsFactor(n.Text); ok {
		return "; a factor needs a value to multiply, and there is none"
	}
	if n.note != "" {
		return ", which is " + n.note
	}
	return ""
}

// scale multiplies a quantity. Times and sizes are rounded to whole base units.
func (f factor) scale(text, key string, problems *Problems) string {
	form := quantityForm().FindStringSubmatch(text)
	if form == nil || len(text) > longest {
		problems.Add(f.at, f.path, "is %s, which %s cannot multiply", Quote(text), f.text)
		return text
	}
	value, _ := new(big.Rat).SetString(form[1])
	if inverted(key, form[2]) && f.by.Sign() != 0 {
		value.Quo(value, f.by)
	} else {
		value.Mul(value, f.by)
	}
	if size, ok := Time.size(form[2]); ok {
		ps := new(big.Rat).Mul(value, new(big.Rat).SetInt64(size))
		exact := ps.Quo(rounded(ps), new(big.Rat).SetInt64(size)).FloatString(12)
		return strings.TrimSuffix(strings.TrimRight(exact, "0"), ".") + form[2]
	}
	if size, ok := Bytes.size(form[2]); ok {
		bytes := rounded(value.Mul(value, new(big.Rat).SetInt64(size)))
		if bytes.Num().IsInt64() {
			return FormatBytes(bytes.Num().Int64())
		}
		return decimal(bytes) + "B"
	}
	return decimal(value) + form[2]
}

// inverted tells whether the unit of a quantity is the inverse of what its key says: a
// bandwidth given as a gap per byte, or a gap per byte given as a bandwidth.
func inverted(key, unit string) bool {
	switch key {
	case "bandwidth":
		_, gap := PerByte.size(unit)
		return gap
	case "gap_per_byte", "per_byte":
		_, bandwidth := Bandwidth.size(unit)
		return bandwidth
	}
	return false
}

// rounded rounds to a whole number, halves up.
func rounded(value *big.Rat) *big.Rat {
	twice := new(big.Int).Mul(value.Num(), big.NewInt(2))
	twice.Add(twice, value.Denom())
	whole, _ := twice.DivMod(twice, new(big.Int).Mul(value.Denom(), big.NewInt(2)), new(big.Int))
	return new(big.Rat).SetInt(whole)
}

// decimal writes a number with enough digits to distinguish it from others.
func decimal(value *big.Rat) string {
	if value.IsInt() && value.Num().BitLen() < 53 {
		return value.Num().String()
	}
	f, _ := value.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
