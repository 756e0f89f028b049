package analysis

import (
	"fmt"
	"slices"
	"testing"

	"dyno/lab/analysis/analysistest"
)

func TestAmong(t *testing.T) {
	// 7 leads all but 3, which can't be told from it; 3 leads 5 alone.
	places := []Place{
		{Rank: 1, Subject: "go/a", Cell: 7}, {Rank: 1, Subject: "go/b", Cell: 3},
		{Rank: 2, Subject: "rust/a", Cell: 4, Behind: []int{7}}, {Rank: 3, Subject: "c/a", Cell: 5, Behind: []int{3, 7}},
	}
	for _, c := range []struct {
		cells []int
		want  string
	}{
		{[]int{3, 4, 5, 7}, "7:1 3:1 4:2 5:3"},
		{[]int{3, 4, 5}, "3:1 4:1 5:2"}, // what led 4 is not there
		{[]int{4, 5}, "4:1 5:1"},
		{[]int{5}, "5:1"},
		{nil, ""},
	} {
		var got string
		for i, p := range Among(places, func(p Place) bool { return slices.Contains(c.cells, p.Cell) }) {
			if i > 0 {
				got += " "
			}
			got += fmt.Sprintf("%d:%d", p.Cell, p.Rank)
			if p.Rank != len(p.Behind)+1 {
				t.Errorf("among %v: rank %d, behind %v", c.cells, p.Rank, p.Behind)
			}
		}
		if got != c.want {
			t.Errorf("among %v: %s, want %s", c.cells, got, c.want)
		}
	}
	if places[2].Rank != 2 || len(places[3].Behind) != 2 {
		t.Error("the places given were changed")
	}
}

// Ranks of an archived run follow from who is behind whom.
func TestRanksFollowFromBehind(t *testing.T) {
	a, err := Analyse(analysistest.Run(7))
	if err != nil {
		t.Fatal(err)
	}
	apart := 0
	for _, g := range a.Groups {
		for metric, places := range g.Ranking {
			for i, p := range Among(places, func(Place) bool { return true }) {
				if p.Cell != places[i].Cell || p.Rank != places[i].Rank {
					t.Errorf("%s: place %d is cell %d with rank %d, ranked again %d with %d", metric, i, places[i].Cell, places[i].Rank, p.Cell, p.Rank)
				}
				apart += len(p.Behind)
			}
		}
	}
	if apart == 0 {
		t.Error("nobody is behind anybody: the run can't tell")
	}
}
