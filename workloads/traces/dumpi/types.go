package dumpi

// datatype is what is known of a type.
type datatype struct {
	bytes   int64 // of an element
	strided bool  // its bytes do not lie together
}

// predefined are the bytes of MPI's own types by their numbers, on a 64-bit Linux. 0: it has
// none.
var predefined = []int64{0, 0, 1, 1, 1, 1, 4, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8, 8, 1, 0, 0, 8, 12, 12, 6, 8, 20}

// types are those that a rank knows by number.
type types struct {
	made  map[int64]datatype
	sizes []int64 // as the file says; nil: it does not
}

// of returns a type; !ok: it is not known.
func (t *types) of(number int64) (d datatype, ok bool) {
	if d, ok = t.made[number]; ok {
		return d, true
	}
	if number < int64(len(t.sizes)) && t.sizes[number] > 0 {
		return datatype{bytes: t.sizes[number]}, true
	}
	if number < int64(len(predefined)) {
		return datatype{bytes: predefined[number]}, number > 1
	}
	return d, false
}

// make notes a type that a record makes. One that is made of unknown types is unknown.
func (t *types) make(r *rawCall) {
	old, ok := t.of(r.number("oldtype"))
	made := datatype{old.bytes, true}
	count := max(0, r.number("count"))
	switch r.Function.Name {
	case "MPI_Type_contiguous":
		made = datatype{count * old.bytes, old.strided}
	case "MPI_Type_vector", "MPI_Type_hvector":
		made.bytes *= count * max(0, r.number("blocklength"))
	case "MPI_Type_indexed", "MPI_Type_hindexed":
		made.bytes *= sum(r.list("lengths"))
	case "MPI_Type_struct":
		made.bytes, ok = t.structure(r.list("lengths"), r.list("oldtypes"))
	default:
		return
	}
	if number := r.number("newtype"); ok && made.bytes >= 0 && made.bytes < mostBytes {
		t.made[number] = made
	} else {
		delete(t.made, number)
	}
}

// mostBytes is the largest size of a type.
const mostBytes = 1 << 40

func (t *types) structure(lengths, of []int32) (bytes int64, ok bool) {
	if len(lengths) != len(of) {
		return 0, false
	}
	for i, n := range lengths {
		d, ok := t.of(int64(of[i]))
		if !ok {
			return 0, false
		}
		bytes += int64(max(0, n)) * d.bytes
	}
	return bytes, true
}

func sum(list []int32) (all int64) {
	for _, n := range list {
		all += int64(max(0, n))
	}
	return all
}
