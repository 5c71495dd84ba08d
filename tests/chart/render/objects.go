package render

import (
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Object is one rendered object: what all kinds have, and its text.
type Object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Text string `json:"-"`
}

// Objects are those of one render, hooks and tests too.
type Objects []Object

var separator = regexp.MustCompile(`(?m)^---\n`)

// Read reads what helm has printed.
func Read(t testing.TB, text string) Objects {
	t.Helper()
	var objects Objects
	for _, document := range separator.Split(text, -1) {
		var object Object
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatalf("no YAML: %v\n%s", err, document)
		}
		if object.Kind == "" {
			continue
		}
		object.Text = document
		objects = append(objects, object)
	}
	if len(objects) == 0 {
		t.Fatal("nothing is rendered")
	}
	return objects
}

// Into reads an object into its type. A key that the type does not know, or that stands twice, is a mistake.
func Into[T any](t testing.TB, object Object) T {
	t.Helper()
	var typed T
	if err := yaml.UnmarshalStrict([]byte(object.Text), &typed); err != nil {
		t.Fatalf("%s %s: %v", object.Kind, object.Name, err)
	}
	return typed
}

// Kind is all objects of a kind.
func (objects Objects) Kind(kind string) Objects {
	var found Objects
	for _, object := range objects {
		if object.Kind == kind {
			found = append(found, object)
		}
	}
	return found
}

// Find is the object of a kind and a name, and whether there is one.
func (objects Objects) Find(kind, name string) (Object, bool) {
	for _, object := range objects.Kind(kind) {
		if object.Name == name {
			return object, true
		}
	}
	return Object{}, false
}

// Get is the object of a kind and a name, read into its type.
func Get[T any](t testing.TB, objects Objects, kind, name string) T {
	t.Helper()
	object, found := objects.Find(kind, name)
	if !found {
		t.Fatalf("no %s %s", kind, name)
	}
	return Into[T](t, object)
}

// All is all objects of a kind, each read into its type.
func All[T any](t testing.TB, objects Objects, kind string) []T {
	t.Helper()
	var typed []T
	for _, object := range objects.Kind(kind) {
		typed = append(typed, Into[T](t, object))
	}
	return typed
}

// Hook says whether helm runs an object at some moment of its own, such as `pre-install`.
func (object Object) Hook(moment string) bool {
	for _, one := range strings.Split(object.Annotations["helm.sh/hook"], ",") {
		if strings.TrimSpace(one) == moment {
			return true
		}
	}
	return false
}
