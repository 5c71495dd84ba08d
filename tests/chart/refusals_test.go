package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"argosy/tests/chart/render"
)

// refusal is a row of refusals.yaml.
type refusal struct {
	What   string         `json:"what"`
	Set    string         `json:"set"`
	Values map[string]any `json:"values"`
	Says   []string       `json:"says"`
}

func refusals(t *testing.T) []refusal {
	t.Helper()
	text, err := os.ReadFile("refusals.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rows []refusal
	if err := yaml.UnmarshalStrict(text, &rows); err != nil {
		t.Fatal(err)
	}
	for n := range rows {
		if rows[n].Set == "" {
			rows[n].Set = "smallest"
		}
		if rows[n].What == "" || len(rows[n].Values) == 0 || len(rows[n].Says) == 0 {
			t.Fatalf("row %d of refusals.yaml lacks something", n+1)
		}
	}
	return rows
}

func TestRefusals(t *testing.T) {
	for _, row := range refusals(t) {
		t.Run(row.What, func(t *testing.T) {
			t.Parallel()
			_, err := render.Text(t, "--values", render.Values(t, row.Set), "--values", writeValues(t, row.Values))
			if err == nil {
				t.Fatal("this is rendered")
			}
			for _, words := range row.Says {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("the message does not say %q: %v", words, err)
				}
			}
		})
	}
}

// writeValues writes values into a file for helm.
func writeValues(t *testing.T, values map[string]any) string {
	t.Helper()
	text, err := yaml.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: helm takes a comma in a path for two files.
	folder, err := os.MkdirTemp("", "values-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	file := filepath.Join(folder, "values.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
