// Package chart checks the Helm chart: what it renders, what it refuses, and what its objects promise each other.
package chart

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"argosy/tests/chart/render"
)

// With this variable set the goldens are written instead of compared.
const writeGoldens = "ARGOSY_WRITE_GOLDENS"

func TestGoldens(t *testing.T) {
	written := map[string]bool{}
	for _, set := range render.Sets(t) {
		written[set+".yaml"] = true
		t.Run(set, func(t *testing.T) { golden(t, set) })
	}
	files, err := filepath.Glob("golden/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !written[filepath.Base(file)] {
			t.Errorf("%s belongs to no value set: remove it", file)
		}
	}
}

func golden(t *testing.T, set string) {
	text := withoutCopies(render.Raw(t, set))
	file := filepath.Join("golden", set+".yaml")
	if os.Getenv(writeGoldens) != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: write it with %s=1", err, writeGoldens)
	}
	if line, was, is, differ := difference(string(before), text); differ {
		t.Errorf("%s, line %d: was\n  %s\nis\n  %s\nIf that is meant, write the goldens with %s=1 and read the diff",
			file, line, was, is, writeGoldens)
	}
}

var (
	rules     = regexp.MustCompile(`(?s)(kind: PrometheusRule\n.*?\nspec:\n  groups:\n).*`)
	dashboard = regexp.MustCompile(`(?s)(kind: ConfigMap\nmetadata:\n  name: [^\n]*-dashboard\n.*?\ndata:\n).*`)
)

// withoutCopies leaves out what is copied from files of thousands of lines; other tests compare the copies with the files.
func withoutCopies(text string) string {
	documents := strings.Split(text, "\n---\n")
	for n, document := range documents {
		document = rules.ReplaceAllString(document, "$1    # from charts/argosy/files/rules")
		documents[n] = dashboard.ReplaceAllString(document, "$1  # from charts/argosy/files/dashboards")
	}
	return strings.Join(documents, "\n---\n")
}

// difference is the first line that differs, counted from 1, with both sides of it.
func difference(was, is string) (line int, before, after string, differ bool) {
	old, fresh := strings.Split(was, "\n"), strings.Split(is, "\n")
	for n := range max(len(old), len(fresh)) {
		left, right := "(the end)", "(the end)"
		if n < len(old) {
			left = old[n]
		}
		if n < len(fresh) {
			right = fresh[n]
		}
		if left != right {
			return n + 1, left, right, true
		}
	}
	return 0, "", "", false
}
