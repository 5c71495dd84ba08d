// Package tools says where the programs and files of the test bed are. `.ci/chart` makes the folder; nothing here fetches.
package tools

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folder is the environment variable that names the folder with the tools.
const Folder = "ARGOSY_CHART_TOOLS"

// Path is where a tool is, or why it is not there: `helm`, `kubectl`, `cluster`, `kwok`, `stages`, `crds`.
func Path(name string) (string, error) {
	folder := os.Getenv(Folder)
	if folder == "" {
		return "", fmt.Errorf("%s is not set: run .ci/chart, which builds the tools and runs the tests", Folder)
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s has no %s: run .ci/chart, which builds the tools and runs the tests", folder, name)
	}
	return path, nil
}

// Root is the root of the repository, looked for upwards from the working directory.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for folder := start; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "charts/argosy/Chart.yaml")); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("no folder above %s has charts/argosy", start)
}
