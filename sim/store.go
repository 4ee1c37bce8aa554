package sim

import (
	"runtime"

	"github.com/fschuetz04/simgo"
)

// Store is a simgo store for live processes: items wait in it for processes that take
// them, or processes wait for items, first in, first out.
type Store[T any] struct {
	env   *Env
	store *simgo.Store[T]
}

// NewStore returns an empty store for up to capacity items.
func NewStore[T any](v *Env, capacity int) *Store[T] {
	return &Store[T]{v, simgo.NewStoreWithCapacity[T](v.simulation, capacity)}
}

// Len returns the number of items in the store.
func (s *Store[T]) Len() int { return s.store.Available() }

// Put adds an item, waiting while the store is full.
func (s *Store[T]) Put(p *Process, item T) { p.Await(s.Offer(item)) }

// Get takes the first item, waiting while there is none.
func (s *Store[T]) Get(p *Process) T {
	request := s.Request()
	p.Await(request)
	return request.Item
}

// Offer asks to add an item and does not wait until it is added.
func (s *Store[T]) Offer(item T) *simgo.PutEvent[T] {
	offer := s.store.Put(item)
	runtime.SetFinalizer(offer.Event, nil)
	return offer
}

// Request asks for an item and does not wait for it. A caller that gives up a request
// must Abort it, or it takes an item.
func (s *Store[T]) Request() *simgo.GetEvent[T] {
	request := s.store.Get()
	runtime.SetFinalizer(request.Event, nil)
	return request
}
