// Package render renders the chart with helm, as a user would, and hands out its objects.
package render

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"argosy/tests/chart/tools"
)

// Release and Namespace are what the sets are rendered for.
const (
	Release   = "argosy"
	Namespace = "questions"
)

// Sets are the names of the value sets, which are the files of tests/chart/values.
func Sets(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder(t), "values", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no value sets: %v", err)
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	sort.Strings(names)
	return names
}

// Values is the file of a set.
func Values(t testing.TB, set string) string {
	t.Helper()
	return filepath.Join(folder(t), "values", set+".yaml")
}

// Chart is the folder of the chart.
func Chart(t testing.TB) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "charts/argosy")
}

var rendered sync.Map

// Set renders a value set.
func Set(t testing.TB, set string) Objects {
	t.Helper()
	return Read(t, Raw(t, set))
}

// Raw is the text of a value set; the second call of a process has that of the first.
func Raw(t testing.TB, set string) string {
	t.Helper()
	if text, found := rendered.Load(set); found {
		return text.(string)
	}
	text, err := Text(t, "--values", Values(t, set))
	if err != nil {
		t.Fatalf("%s: %v", set, err)
	}
	rendered.Store(set, text)
	return text
}

// With renders a value set with further `--set` flags.
func With(t testing.TB, set string, flags ...string) Objects {
	t.Helper()
	text, err := Try(t, set, flags...)
	if err != nil {
		t.Fatalf("%s with %s: %v", set, flags, err)
	}
	return Read(t, text)
}

// Try is With for values that may be refused: the error says what helm says.
func Try(t testing.TB, set string, flags ...string) (string, error) {
	t.Helper()
	args := []string{"--values", Values(t, set)}
	for _, flag := range flags {
		args = append(args, "--set", flag)
	}
	return Text(t, args...)
}

// Text is what `helm template` prints with these arguments.
func Text(t testing.TB, args ...string) (string, error) {
	t.Helper()
	return TextOf(t, Chart(t), args...)
}

// TextOf is Text of another chart, such as a later version.
func TextOf(t testing.TB, chart string, args ...string) (string, error) {
	t.Helper()
	text, err := helm(t, append([]string{"template", Release, chart, "--namespace", Namespace}, args...)...)
	if err == nil && !strings.Contains(text, "kind:") {
		err = errors.New("nothing is rendered")
	}
	return text, err
}

func helm(t testing.TB, args ...string) (string, error) {
	t.Helper()
	program, err := tools.Path("helm")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, args...)
	var out, wrong bytes.Buffer
	command.Stdout, command.Stderr = &out, &wrong
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, wrong.String())
	}
	return out.String(), nil
}

func folder(t testing.TB) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "tests/chart")
}
