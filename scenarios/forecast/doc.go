// Package forecast says what memory and how much work a run will need, before it begins,
// and what there is. Memory is the least that a run cannot do without: a run that is
// refused would not have ended.
package forecast
