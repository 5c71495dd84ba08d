package chart

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"argosy/tests/chart/render"
)

// step stands between the keys of a path: some keys have dots, and slashes.
const step = " "

// leaves are the paths of all values that are no maps, and of the empty maps.
func leaves(values map[string]any) []string {
	var found []string
	for key, value := range values {
		below, isMap := value.(map[string]any)
		if !isMap || len(below) == 0 {
			found = append(found, key)
			continue
		}
		for _, path := range leaves(below) {
			found = append(found, key+step+path)
		}
	}
	slices.Sort(found)
	return found
}

func readYAML(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.UnmarshalStrict(text, &values); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return values
}

func chartValues(t *testing.T) map[string]any {
	t.Helper()
	return readYAML(t, filepath.Join(render.Chart(t), "values.yaml"))
}

// sayers are, for each key of values.yaml, a value set that says it or something below it.
func sayers(t *testing.T, keys []string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, set := range render.Sets(t) {
		for _, path := range leaves(readYAML(t, render.Values(t, set))) {
			for _, key := range keys {
				if path == key || strings.HasPrefix(path, key+step) {
					found[key] = set
				}
			}
		}
	}
	return found
}

// TestEveryKeyIsUsed takes each key of values.yaml out of a value set that says it: what is rendered has to change, or is
// refused. A key that no set can say stands among the refusals; a number or a switch of a role that neither says is given
// another value.
func TestEveryKeyIsUsed(t *testing.T) {
	keys := leaves(chartValues(t))
	if len(keys) < 80 {
		t.Fatalf("only %d keys found in values.yaml", len(keys))
	}
	keys = append(keys, likeDefaults(t)...)
	refused := map[string]bool{}
	for _, row := range refusals(t) {
		for _, path := range leaves(row.Values) {
			refused[path] = true
		}
	}
	said := sayers(t, keys)
	for _, key := range keys {
		set, isSaid := said[key]
		if flag, isOfRole := another(chartValues(t), key); isOfRole && !isSaid && !refused[key] {
			text, err := render.Try(t, "smallest", flag)
			if err == nil && text == render.Raw(t, "smallest") {
				t.Errorf("nothing changes with %s", flag)
			}
			continue
		}
		if !isSaid && !refused[key] {
			t.Errorf("%s: no value set says it, and no refusal", key)
		}
		if !isSaid {
			continue
		}
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			values := readYAML(t, render.Values(t, set))
			remove(values, strings.Split(key, step))
			without, err := render.Text(t, "--values", writeValues(t, values))
			if err == nil && without == render.Raw(t, set) {
				t.Errorf("%s says it, and nothing changes without it", set)
			}
		})
	}
}

// likeDefaults are the keys that the door takes and values.yaml has under `defaults` alone.
func likeDefaults(t *testing.T) []string {
	t.Helper()
	root, values := readSchema(t), chartValues(t)
	var keys []string
	for key := range root.properties(root.properties(root)[door]) {
		if _, said := values[door].(map[string]any)[key]; !said {
			keys = append(keys, door+step+key)
		}
	}
	return keys
}

// another is a flag that gives a number or a switch of a role another value.
func another(values map[string]any, key string) (string, bool) {
	path := strings.Split(key, step)
	if len(path) != 3 || path[0] != "roles" {
		return "", false
	}
	role, _ := values["roles"].(map[string]any)[path[1]].(map[string]any)
	switch value := role[path[2]].(type) {
	case bool:
		return fmt.Sprintf("%s=%v", strings.Join(path, "."), !value), true
	case float64:
		return fmt.Sprintf("%s=%v", strings.Join(path, "."), value+1), true
	}
	return "", false
}

func remove(values map[string]any, path []string) {
	if len(path) == 1 {
		delete(values, path[0])
		return
	}
	if below, isMap := values[path[0]].(map[string]any); isMap {
		remove(below, path[1:])
	}
}

// TestAnEmptySectionIsTakenOrNamed writes each section of values.yaml with nothing behind it, as is left where all of it is
// commented out. helm then forgets the chart's own values of it.
func TestAnEmptySectionIsTakenOrNamed(t *testing.T) {
	rules := map[string]any{"enabled": true, "runbookBaseUrl": "https://wiki.example.com/"}
	before := writeValues(t, map[string]any{"monitoring": map[string]any{"prometheusRule": rules}})
	var walk func(path []string, values map[string]any)
	walk = func(path []string, values map[string]any) {
		for key, below := range values {
			here := append(slices.Clone(path), key)
			section, isMap := below.(map[string]any)
			if !isMap {
				continue
			}
			name := strings.Join(here, ".")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				var empty any
				for _, key := range slices.Backward(here) {
					empty = map[string]any{key: empty}
				}
				file := writeValues(t, empty.(map[string]any))
				_, err := render.Text(t, "--values", render.Values(t, "smallest"), "--values", before, "--values", file)
				if err != nil && !strings.Contains(err.Error(), "\n  - "+name+":") {
					t.Errorf("what is wrong is not said: %v", err)
				}
			})
			walk(here, section)
		}
	}
	walk(nil, chartValues(t))
}

// schema is a node of values.schema.json.
type schema map[string]any

func readSchema(t *testing.T) schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(render.Chart(t), "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root schema
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// properties are those of a node, of what it refers to and of all that it joins.
func (root schema) properties(node schema) map[string]schema {
	found := map[string]schema{}
	if reference, ok := node["$ref"].(string); ok {
		name := strings.TrimPrefix(reference, "#/definitions/")
		definition, _ := root["definitions"].(map[string]any)[name].(map[string]any)
		maps.Copy(found, root.properties(definition))
	}
	if all, ok := node["allOf"].([]any); ok {
		for _, part := range all {
			maps.Copy(found, root.properties(part.(map[string]any)))
		}
	}
	named, _ := node["properties"].(map[string]any)
	for key, below := range named {
		switch below := below.(type) {
		case map[string]any:
			found[key] = below
		case bool:
			// `false`: the key is not for this place.
			found[key] = nil
		}
	}
	return found
}

func TestSchemaAndValuesHaveTheSameKeys(t *testing.T) {
	root := readSchema(t)
	defaults := chartValues(t)["defaults"].(map[string]any)
	var compare func(path string, values map[string]any, node schema)
	compare = func(path string, values map[string]any, node schema) {
		known := root.properties(node)
		// What is open says so by having no properties; what an element of a list or of a role may say stands elsewhere.
		isRole := strings.HasPrefix(path, ".roles.")
		for key, below := range known {
			_, found := values[key]
			if path == "."+door && !found {
				_, found = defaults[key]
			}
			if below != nil && !found && !isRole && key != "config" && len(values) > 0 {
				t.Errorf("%s.%s is in the schema and not in values.yaml", path, key)
			}
		}
		for key, value := range values {
			below := known[key]
			if below == nil && len(known) > 0 {
				t.Errorf("%s.%s is in values.yaml and not in the schema", path, key)
			}
			if table, isMap := value.(map[string]any); isMap && path+"."+key != ".config" {
				compare(path+"."+key, table, below)
			}
		}
	}
	compare("", chartValues(t), root)
}

// openOnPurpose are the maps with named keys that take others as well: the first level, where tools put keys of their own, and
// nodes, which have more options than the chart looks at.
var openOnPurpose = []string{"", ".global", ".model.nodes.items"}

func TestSchemaIsClosed(t *testing.T) {
	root := readSchema(t)
	var walk func(path string, node any, joined bool)
	walk = func(path string, node any, joined bool) {
		switch node := node.(type) {
		case []any:
			for _, below := range node {
				walk(path, below, true)
			}
		case map[string]any:
			_, named := node["properties"]
			isClosed := node["additionalProperties"] == false
			if named && !isClosed && !joined && !slices.Contains(openOnPurpose, path) {
				t.Errorf("%s takes any key", fmt.Sprintf("schema%s", path))
			}
			if reference, ok := node["$ref"].(string); ok && !strings.HasPrefix(reference, "#/") {
				t.Errorf("schema%s wants the network: %s", path, reference)
			}
			for key, below := range node {
				switch key {
				case "properties", "definitions", "patternProperties":
					for name, one := range below.(map[string]any) {
						walk(path+"."+name, one, false)
					}
				default:
					walk(path+"."+key, below, key == "allOf")
				}
			}
		}
	}
	walk("", map[string]any(root), false)
}
