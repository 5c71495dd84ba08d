package pods

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"argosy/tests/chart/render"
)

// Every configuration that any value set renders is one that the program takes: the chart hands options on that it does
// not know itself.
func TestConfigurationsAreRight(t *testing.T) {
	t.Parallel()
	program := filepath.Join(image(t).Root, "argosy")
	folder := t.TempDir()
	right := map[string]bool{}
	check := func(owner, file, text string, command ...string) {
		t.Helper()
		path := filepath.Join(folder, file)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.Command(program, append(command, path)...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", owner, err, said, text)
		}
	}
	for _, set := range render.Sets(t) {
		objects := render.Set(t, set)
		for _, object := range objects.Kind("ConfigMap") {
			for file, text := range render.Into[corev1.ConfigMap](t, object).Data {
				switch {
				case right[text]:
				case file == "argosy.toml":
					check(set+": "+object.Name, file, text, "config", "check")
				case object.Name == render.Release+"-schemas":
					check(set+": "+object.Name, file, text, "schema", "check")
				default:
					continue
				}
				right[text] = true
			}
		}
	}
	if len(right) < 2*len(render.Sets(t)) {
		t.Errorf("only %d configurations are rendered", len(right))
	}
}
