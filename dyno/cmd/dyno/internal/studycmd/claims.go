package studycmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/published"
	"dyno.example/dyno/report"
	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// defaultResults is where results are published in a checkout.
const defaultResults = "dyno/docs/results"

func NewClaims(global *cli.Global) *cobra.Command {
	var page bool
	var results string
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "List published claims, and what decides them",
		Long: `List the performance claims that dyno knows, with the command that decides each.
Verdicts show where there is a folder of published results (see dyno publish).`,
		Args: cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := questions(results, page || cmd.Flags().Changed("results"))
			if err != nil {
				return err
			}
			if page {
				_, err := fmt.Print(published.Page(studies.Claims(), list))
				return err
			}
			return writeQuestions(global.Texts(), list)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&page, "page", false, "print the page of all claims, in Markdown")
	flags.StringVar(&results, "results", defaultResults, "folder of published results")
	return cmd
}

// questions puts together what is claimed, what studies hold it to, and what was
// published. The folder may be missing unless results are needed.
func questions(results string, needed bool) ([]published.Question, error) {
	held, err := heldClaims()
	if err != nil {
		return nil, err
	}
	var records []published.Record
	var attempts []published.Attempt
	switch info, err := os.Stat(results); {
	case err == nil && info.IsDir():
		if records, err = published.ReadAll(os.DirFS(results)); err != nil {
			return nil, fmt.Errorf("%s: %w", results, err)
		}
		if attempts, err = published.Attempts(results); err != nil {
			return nil, err
		}
	case needed:
		return nil, i18n.Errorf("studycmd.no-published-results", "no folder %s is here: run this from the root of dyno's repository, or name the folder with --results", results)
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR): // a file has the name of a folder on the way
		return nil, err
	}
	return published.Questions(studies.Claims(), held, records, attempts)
}

// heldClaims are those of the built-in studies, by study.
func heldClaims() (map[string][]claim.Claim, error) {
	c, err := cli.Catalog()
	if err != nil {
		return nil, err
	}
	held := map[string][]claim.Claim{}
	for _, name := range studies.Names() {
		s, err := study.Open(name, c.Names())
		if err != nil {
			return nil, err
		}
		if len(s.Claims) > 0 {
			held[name] = s.Claims
		}
	}
	return held, nil
}

func writeQuestions(t report.Texts, list []published.Question) error {
	table := [][]string{{t.Text("questions.claim"), t.Text("questions.verdict"), t.Text("questions.decided-by"), t.Text("questions.question")}}
	for i := range list {
		q := &list[i]
		table = append(table, []string{q.ID, t.Say(q.Word()), t.Say(q.Remedy()), q.Asks})
	}
	const decided = 2 // mostly dyno run and the name
	return cli.PrintTable(table, decided)
}
