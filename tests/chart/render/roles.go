package render

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"argosy/tests/chart/tools"
)

var roleKey = regexp.MustCompile(`(?m)^  ([a-z]+):`)

// Roles are the words for who runs, in the order of the chart's values.
func Roles() []string {
	root, err := tools.Root()
	if err != nil {
		panic(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "charts/argosy/values.yaml"))
	if err != nil {
		panic(err)
	}
	_, below, _ := strings.Cut(string(text), "\nroles:\n")
	section, _, _ := strings.Cut(below, "\n\n")
	var roles []string
	for _, found := range roleKey.FindAllStringSubmatch(section, -1) {
		roles = append(roles, found[1])
	}
	if len(roles) < 9 {
		panic("values.yaml has no list of roles")
	}
	return roles
}

// Without are roles but for some.
func Without(roles []string, others ...string) []string {
	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return slices.Contains(others, role) })
}

// Asking are the roles that ask a model. The validator does where one is named for it.
func Asking() []string {
	return Without(Roles(), "gateway", "retriever", "conversation")
}
