package main

// escaped is how many objects a piece of work makes.
const escaped = 12

// step is a link of 48 bytes.
type step struct {
	next   *step
	number int
	_      [32]byte
}

// escapeHeap makes every step on the heap: the list outlives the turn of the
// loop that made it.
func escapeHeap() func() int {
	return func() int {
		var list *step
		for i := range escaped {
			list = &step{next: list, number: i}
		}
		return total(list)
	}
}

// escapeStack makes the same list in an array on the stack.
func escapeStack() func() int {
	return func() int {
		var steps [escaped]step
		for i := range steps {
			steps[i].number = i
			if i > 0 {
				steps[i].next = &steps[i-1]
			}
		}
		return total(&steps[escaped-1])
	}
}

// total keeps the compiler from leaving the steps out.
//
//go:noinline
func total(list *step) (sum int) {
	for ; list != nil; list = list.next {
		sum += list.number
	}
	return sum
}
