package chart

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"argosy/tests/chart/render"
)

// pages tell how to install the chart, relative to its folder, each with so many commands.
var pages = map[string]int{"../../README.md": 1, "../../docs/operations/install.md": 1, "README.md": 2}

var (
	installation = regexp.MustCompile(`(?m)^helm install argosy charts/argosy ((?:.*\\\n)*.*)$`)
	word         = regexp.MustCompile(`'[^']*'|[^\s'\\]+`)
)

// TestCommandsOfTheDocumentation renders with the flags that pages tell: whoever copies a command must get a fleet.
func TestCommandsOfTheDocumentation(t *testing.T) {
	for page, wanted := range pages {
		text, err := os.ReadFile(filepath.Join(render.Chart(t), page))
		if err != nil {
			t.Fatal(err)
		}
		found := installation.FindAllStringSubmatch(string(text), -1)
		if len(found) < wanted {
			t.Errorf("%s has %d commands that install the chart", page, len(found))
		}
		for _, command := range found {
			var flags []string
			for _, flag := range word.FindAllString(strings.ReplaceAll(command[1], "REGISTRY", "registry.example.com"), -1) {
				flags = append(flags, strings.Trim(flag, "'"))
			}
			if _, err := render.Text(t, flags...); err != nil {
				t.Errorf("%s: %s: %v", page, command[0], err)
			}
		}
	}
}
