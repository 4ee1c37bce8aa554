package sim

const (
	slotBits = 7
	frontCap = 1 << slotBits // slots of the front
)

// front holds the pending events with base <= At <= limit in order, while they are few.
// Each event stays in the slot where it was put. What is sorted is keys[head:end]: each
// key has the offset of the event's time from base in its high bits and the slot in its
// low bits. Slots are given out in order of arrival and only once, so events of equal
// time keep that order.
type front struct {
	head, end   uint
	used        uint // slots given out since the front was last empty
	base, limit Time
	keys        [frontCap]uint64
	events      [frontCap]Event
}

// empty reports whether the front holds no events.
func (f *front) empty() bool { return f.head == f.end }

// full reports whether every slot was given out.
func (f *front) full() bool { return f.used == frontCap }

// first returns the earliest event of a front that is not empty.
func (f *front) first() *Event { return &f.events[f.keys[f.head%frontCap]%frontCap] }

// pop removes the first event.
func (f *front) pop() {
	f.head++
	if f.head == f.end {
		f.clear()
	}
}

// clear removes all events; the front still covers its range.
func (f *front) clear() { f.head, f.end, f.used = 0, 0, 0 }

// insert adds an event to a front that is not full. Linear insertion from
// the end is the fastest way for so few keys: the branches of a binary search
// cannot be predicted.
func (f *front) insert(e Event) {
	slot := f.used % frontCap
	f.used++
	f.events[slot] = e
	key := uint64(e.At-f.base)<<slotBits | uint64(slot)
	i := f.end
	for i > f.head && f.keys[(i-1)%frontCap] > key {
		f.keys[i%frontCap] = f.keys[(i-1)%frontCap]
		i--
	}
	f.keys[i%frontCap] = key
	f.end++
}
