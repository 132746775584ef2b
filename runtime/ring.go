package oxrt

// ring is a first-in first-out queue that allocates only when it grows. It is not safe for concurrent use.
type ring[T any] struct {
	items []T // length is zero or a power of two
	head  int
	n     int
}

func (r *ring[T]) len() int { return r.n }

func (r *ring[T]) push(v T) {
	if r.n == len(r.items) {
		grown := make([]T, max(16, 2*len(r.items)))
		for i := range r.n {
			grown[i] = r.items[(r.head+i)&(len(r.items)-1)]
		}
		r.items, r.head = grown, 0
	}
	r.items[(r.head+r.n)&(len(r.items)-1)] = v
	r.n++
}

// front returns the oldest item; the queue must not be empty.
func (r *ring[T]) front() T { return r.items[r.head] }

func (r *ring[T]) at(i int) T { return r.items[(r.head+i)&(len(r.items)-1)] }

func (r *ring[T]) pop() T {
	var zero T
	v := r.items[r.head]
	r.items[r.head] = zero
	r.head = (r.head + 1) & (len(r.items) - 1)
	r.n--
	return v
}
