// Package forecast says what memory and how much work a run will need, before it begins,
// and what there is. A run is refused for what it cannot do without, and for the messages
// of all ranks together, which is an upper limit and said to be one. What a run will take
// from the system is told next to it; nothing is refused for that.
package forecast
