package render

import (
	"testing"

	"github.com/BurntSushi/toml"
	corev1 "k8s.io/api/core/v1"
)

// ConfigFile is where every pod of Argosy finds its configuration.
const ConfigFile = "/etc/argosy/argosy.toml"

// Config is the `argosy.toml` that a pod mounts, as text.
func Config(t testing.TB, objects Objects, pod Pod) string {
	t.Helper()
	for _, mount := range pod.Template.Spec.Containers[0].VolumeMounts {
		if mount.MountPath != ConfigFile {
			continue
		}
		for _, volume := range pod.Template.Spec.Volumes {
			if volume.Name != mount.Name || volume.ConfigMap == nil {
				continue
			}
			file, found := Get[corev1.ConfigMap](t, objects, "ConfigMap", volume.ConfigMap.Name).Data[mount.SubPath]
			if !found {
				t.Fatalf("the ConfigMap %s has no %s", volume.ConfigMap.Name, mount.SubPath)
			}
			return file
		}
	}
	t.Fatalf("%s %s mounts no configuration", pod.Kind, pod.Owner)
	return ""
}

// Options are the keys of a configuration.
type Options map[string]any

// Parse reads a configuration.
func Parse(t testing.TB, text string) Options {
	t.Helper()
	var options Options
	if _, err := toml.Decode(text, &options); err != nil {
		t.Fatalf("no TOML: %v\n%s", err, text)
	}
	return options
}

// Get is the value at a path, such as `run`, `slots`, or nil.
func (options Options) Get(path ...string) any {
	var at any = map[string]any(options)
	for _, key := range path {
		table, isTable := at.(map[string]any)
		if !isTable {
			return nil
		}
		at = table[key]
	}
	return at
}
