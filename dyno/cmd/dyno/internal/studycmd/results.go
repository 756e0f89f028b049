package studycmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/published"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

func NewResults(global *cli.Global) *cobra.Command {
	var into, results string
	cmd := &cobra.Command{
		Use:   "results",
		Short: "List published results, and write their tables into documents",
		Long: `List the results that are published in a folder (see dyno publish), with the command
that repeats each.

With --into, rewrite the tables of a document, such as a README's. Each stands
between two lines, the first of which says which result it is of:

  <!-- begin: languages of languages-quick, by dyno results --into README.md -->
  <!-- end -->

Nothing else of the document changes. Of a published report.md it is the tables of ranks
that are put into today's order, computed from the trials.csv.gz beside it; a README's
tables are taken from there.`,
		Example: "  dyno results\n  dyno results --into README.md\n  dyno results --into dyno/docs/results/languages-quick/report.md",
		Args:    cli.NoArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if into == "" && cmd.Flags().Changed("into") {
				return cli.UsageError(i18n.Errorf("studycmd.into-empty", "--into is empty: name a file"))
			}
			if into != "" {
				return fillTables(into, results)
			}
			records, err := published.ReadAll(os.DirFS(results))
			if err != nil {
				return fmt.Errorf("%s: %w", results, err)
			}
			return writeResults(global.Texts(), records)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&into, "into", "", "document whose tables to rewrite, in Markdown")
	flags.StringVar(&results, "results", defaultResults, "folder of published results")
	return cmd
}

// fillTables writes the tables of a document again. One that needs no change is not touched.
func fillTables(document, results string) error {
	was, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	is, err := filled(document, string(was), results)
	if err != nil {
		return err
	}
	if is == string(was) {
		return nil
	}
	return cli.WriteFile(document, func(w *bytes.Buffer) error {
		_, err := w.WriteString(is)
		return err
	})
}

// filled is what becomes of a document: of a published report, or of another one.
func filled(document, was, results string) (string, error) {
	folder := filepath.Dir(document)
	if _, err := os.Stat(filepath.Join(folder, published.TrialsName)); err == nil && filepath.Base(document) == "report.md" {
		return reranked(folder)
	}
	link, err := linkTo(results, document)
	if err != nil {
		return "", err
	}
	is, err := published.Fill(was, os.DirFS(results), link)
	if err != nil {
		return "", fmt.Errorf("%s: %w", document, err)
	}
	return is, nil
}

// reranked is a published report in today's order.
func reranked(folder string) (string, error) {
	c, err := cli.Catalog()
	if err != nil {
		return "", err
	}
	own := func(name string) bool {
		s, err := c.Get(name)
		return err == nil && s.Own
	}
	return published.Rerank(os.DirFS(filepath.Dir(folder)), filepath.Base(folder), published.Words{Text: report.English().Text, Own: own})
}

// linkTo is where a folder is from a document.
func linkTo(folder, document string) (string, error) {
	from, err := filepath.Abs(filepath.Dir(document))
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	link, err := filepath.Rel(from, to)
	return filepath.ToSlash(link), err
}

func writeResults(t report.Texts, records []published.Record) error {
	table := [][]string{{t.Text("results.folder"), t.Text("runs.started"), t.Text("results.repeat")}}
	for i := range records {
		r := &records[i]
		table = append(table, []string{r.Dir, r.Date.UTC().Format("2006-01-02 15:04"), r.Command})
	}
	return cli.PrintTable(table)
}
