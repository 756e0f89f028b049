package engine

// users orders what is due at some later time by when it is due: a binary heap
// in a table of fixed size, so that it does not allocate.
type users struct {
	heap []user
}

// user is the worker of a connection who thinks until an instant.
type user struct {
	at int64
	id int32
}

func newUsers(n int) users { return users{heap: make([]user, 0, n)} }

func (u *users) len() int { return len(u.heap) }

// first returns who is due first; there must be one.
func (u *users) first() user { return u.heap[0] }

func (u *users) push(at int64, id int32) {
	u.heap = append(u.heap, user{at, id})
	i := len(u.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if u.heap[parent].at <= at {
			break
		}
		u.heap[i] = u.heap[parent]
		i = parent
	}
	u.heap[i] = user{at, id}
}

// pop removes who is due first.
func (u *users) pop() user {
	first := u.heap[0]
	last := u.heap[len(u.heap)-1]
	u.heap = u.heap[:len(u.heap)-1]
	if len(u.heap) == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(u.heap) {
			break
		}
		if child+1 < len(u.heap) && u.heap[child+1].at < u.heap[child].at {
			child++
		}
		if last.at <= u.heap[child].at {
			break
		}
		u.heap[i] = u.heap[child]
		i = child
	}
	u.heap[i] = last
	return first
}
