//go:build linux

package rounds

import "fmt"

// Arm is what is repeated in every round, as its trials name it.
type Arm struct {
	Tool, Level string
	Rounds      int // in which it takes part; 0 for all
}

// Pending lists the turns that are not in the record yet.
func (r *Record) Pending(arms []Arm) (turns []Turn) {
	for _, t := range r.Turns(len(arms)) {
		a := &arms[t.Arm]
		if (a.Rounds == 0 || t.Round < a.Rounds) && !r.Has(t.Round, a.Tool, a.Level) {
			turns = append(turns, t)
		}
	}
	return turns
}

// Carry measures the turns one after the other, and saves the record after each.
func (r *Record) Carry(turns []Turn, measure func(arm int) (Trial, error)) error {
	for i, turn := range turns {
		t, err := measure(turn.Arm)
		if err != nil {
			return err
		}
		t.Round = turn.Round
		r.Trials = append(r.Trials, t)
		if err := r.Save(); err != nil {
			return err
		}
		fmt.Printf("%4d/%d  %s\n", i+1, len(turns), t.Line())
	}
	return nil
}
