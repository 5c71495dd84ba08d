package chart

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"argosy/tests/chart/render"
)

// rule is an alert or a recording rule.
type rule struct {
	Alert       string            `json:"alert,omitempty"`
	Record      string            `json:"record,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type groups struct {
	Groups []struct {
		Name     string `json:"name"`
		Interval string `json:"interval,omitempty"`
		Rules    []rule `json:"rules"`
	} `json:"groups"`
}

// flat are the rules of all groups in their order.
func (groups groups) flat() []rule {
	var all []rule
	for _, group := range groups.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// ruleFiles are the rules of charts/argosy/files.
func ruleFiles(t *testing.T) []rule {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(render.Chart(t), "files/rules/*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	var all []rule
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var read groups
		if err := yaml.UnmarshalStrict(text, &read); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, read.flat()...)
	}
	return all
}

// renderedRules are those of a PrometheusRule.
func renderedRules(t *testing.T, objects render.Objects) []rule {
	t.Helper()
	found := render.All[struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              groups `json:"spec"`
	}](t, objects, "PrometheusRule")
	if len(found) != 1 {
		t.Fatalf("%d PrometheusRules", len(found))
	}
	return found[0].Spec.flat()
}

func find(rules []rule, name string) (rule, bool) {
	n := slices.IndexFunc(rules, func(one rule) bool { return one.Alert == name })
	if n < 0 {
		return rule{}, false
	}
	return rules[n], true
}

// TestRulesAreThoseOfTheFiles goes through all rules of a fleet in which no role is away: what the chart does to them is the
// address of the runbook and the names of the release, and nothing else.
func TestRulesAreThoseOfTheFiles(t *testing.T) {
	names := "(keda-hpa-)?argosy-(" + strings.Join(roles, "|") + ")"
	wanted := ruleFiles(t)
	is := renderedRules(t, render.With(t, "door-open", "monitoring.prometheusRule.enabled=true",
		"monitoring.prometheusRule.runbookBaseUrl=https://wiki.example.com/"))
	if len(is) != len(wanted) {
		t.Fatalf("%d rules are rendered of %d", len(is), len(wanted))
	}
	replaced := 0
	for n, rule := range wanted {
		if strings.Contains(rule.Expr, ".*argosy.*") {
			replaced++
		}
		rule.Expr = strings.ReplaceAll(strings.TrimSpace(rule.Expr), ".*argosy.*", names)
		if rule.Alert != "" {
			runbook := fmt.Sprintf("https://wiki.example.com/%s.md", strings.ToLower(rule.Alert))
			rule.Annotations["runbook_url"] = runbook
		}
		if !reflect.DeepEqual(is[n], rule) {
			t.Errorf("%s%s is\n%+v\nand should be\n%+v", rule.Alert, rule.Record, is[n], rule)
		}
	}
	if replaced < 2 {
		t.Errorf("only %d rules of the files name the objects of the release as `.*argosy.*`", replaced)
	}
}

func TestNamesInRulesFindTheObjects(t *testing.T) {
	objects := render.Set(t, "production")
	failing, _ := find(renderedRules(t, objects), "ArgosyScalerFailing")
	matcher := regexp.MustCompile(`scaledObject=~"([^"]*)"`).FindStringSubmatch(failing.Expr)
	if matcher == nil {
		t.Fatalf("ArgosyScalerFailing names no scaledObject: %s", failing.Expr)
	}
	// Prometheus looks for a match of the whole.
	name := regexp.MustCompile("^(" + matcher[1] + ")$")
	scaled := objects.Kind("ScaledObject")
	if len(scaled) == 0 {
		t.Fatal("nothing is scaled")
	}
	for _, object := range scaled {
		if !name.MatchString(object.Name) || !name.MatchString("keda-hpa-"+object.Name) {
			t.Errorf("%s does not find %s", name, object.Name)
		}
	}
	for _, other := range []string{"other-mapper", "argosy-of-others-mapper", "argosy"} {
		if name.MatchString(other) {
			t.Errorf("%s finds %s", name, other)
		}
	}
}

var missing = regexp.MustCompile(`absent\(argosy_build_info\{role="(\w+)"\}\)`)

// A role that is switched off or scaled to zero on purpose is not missed; every other one is.
func TestOnlyRolesThatShouldRunAreMissed(t *testing.T) {
	away := map[string][]string{
		"readers":    {"clarifier", "conversation", "indexer"},
		"production": {"clarifier", "indexer"},
	}
	for set, away := range away {
		t.Run(set, func(t *testing.T) {
			var missed []string
			for _, rule := range renderedRules(t, render.Set(t, set)) {
				for _, found := range missing.FindAllStringSubmatch(rule.Expr, -1) {
					missed = append(missed, found[1])
				}
				if rule.Expr == "" || strings.HasPrefix(rule.Expr, "or ") {
					t.Errorf("%s: the expression begins in the middle: %q", rule.Alert, rule.Expr)
				}
			}
			for _, role := range roles {
				if slices.Contains(missed, role) == slices.Contains(away, role) {
					t.Errorf("away are %v, missed are %v", away, missed)
				}
			}
		})
	}
	withDoor := renderedRules(t, render.With(t, "door-open", "monitoring.prometheusRule.enabled=true",
		"monitoring.prometheusRule.runbookBaseUrl=https://wiki.example.com/"))
	if _, found := find(withDoor, "ArgosyDoorMissing"); !found {
		t.Error("a door is not missed")
	}
	none := renderedRules(t, render.With(t, "readers", "roles.indexer.enabled=false"))
	if _, found := find(none, "ArgosyDoorMissing"); found {
		t.Error("a door is missed where none should be")
	}
	if _, found := find(none, "ArgosyIndexerMissing"); found {
		t.Error("ArgosyIndexerMissing is left with nothing to miss")
	}
}

func TestAlertsCanBeChangedOneByOne(t *testing.T) {
	is := renderedRules(t, render.Set(t, "production"))
	if _, found := find(is, "ArgosyOutputRepairsHigh"); found {
		t.Error("an alert that is disabled is there")
	}
	waits, _ := find(is, "ArgosyQueueWaitHigh")
	if waits.For != "30m" || waits.Labels["severity"] != "info" {
		t.Errorf("an alert with other `for` and severity is %+v", waits)
	}
	dead, _ := find(is, "ArgosyDeadLetterBacklog")
	if dead.Expr != "max by (role) (argosy_dead_letter_messages) > 5" {
		t.Errorf("an alert with another expression is %+v", dead)
	}
}

// Every alert, and not only those of a value set, can be left out, or be given another `for`, severity and expression. What
// is not named stays.
func TestEveryAlertCanBeChanged(t *testing.T) {
	with := func(key string, value any) []rule {
		t.Helper()
		settings := map[string]any{"enabled": true, "runbookBaseUrl": "https://wiki.example.com/", key: value}
		values := map[string]any{"monitoring": map[string]any{"prometheusRule": settings}}
		text, err := render.Text(t, "--values", render.Values(t, "door-open"), "--values", writeValues(t, values))
		if err != nil {
			t.Fatal(err)
		}
		return renderedRules(t, render.Read(t, text))
	}
	var halves [2][]string
	overrides := map[string]any{}
	for n, rule := range ruleFiles(t) {
		if rule.Alert != "" {
			halves[n%2] = append(halves[n%2], rule.Alert)
			overrides[rule.Alert] = map[string]any{"for": "42m", "severity": "info", "expr": "vector(42) > 41"}
		}
	}
	for _, rule := range with("overrides", overrides) {
		changed := rule.For == "42m" && rule.Labels["severity"] == "info" && rule.Expr == "vector(42) > 41"
		if changed != (rule.Alert != "") {
			t.Errorf("with overrides of all alerts, %s%s is %+v", rule.Alert, rule.Record, rule)
		}
	}
	for n, disabled := range halves {
		left := with("disabled", disabled)
		for _, name := range slices.Concat(halves[0], halves[1]) {
			if _, found := find(left, name); found == slices.Contains(halves[n], name) {
				t.Errorf("with half of the alerts disabled, whether %s is there is wrong", name)
			}
		}
		if len(left) != len(ruleFiles(t))-len(disabled) {
			t.Errorf("with %d alerts disabled, %d rules are left", len(disabled), len(left))
		}
	}
}

func TestDashboardsAreThoseOfTheFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(render.Chart(t), "files/dashboards/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	objects := render.Set(t, "production")
	for _, file := range files {
		wanted, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		of := "argosy-" + strings.TrimPrefix(strings.TrimSuffix(name, ".json"), "argosy-") + "-dashboard"
		is := render.Get[corev1.ConfigMap](t, objects, "ConfigMap", of)
		links := strings.ReplaceAll(string(wanted), "https://example.invalid/runbooks/",
			"https://wiki.example.com/argosy/runbooks/")
		if strings.TrimSpace(is.Data[name]) != strings.TrimSpace(links) {
			t.Errorf("%s is not what %s holds", of, name)
		}
		// What the sidecar of Grafana looks for.
		if is.Labels["grafana.example.com/dashboard"] != "argosy" {
			t.Errorf("%s has the labels %v", of, is.Labels)
		}
	}
}

func TestPodMonitorFindsRolesAndDoorsAndNothingElse(t *testing.T) {
	for _, set := range []string{"production", "readers", "door"} {
		objects := render.Set(t, set)
		monitors := render.All[struct {
			metav1.TypeMeta   `json:",inline"`
			metav1.ObjectMeta `json:"metadata"`
			Spec              struct {
				Selector            metav1.LabelSelector `json:"selector"`
				PodMetricsEndpoints []struct {
					Port     string `json:"port"`
					Interval string `json:"interval"`
				} `json:"podMetricsEndpoints"`
			} `json:"spec"`
		}](t, objects, "PodMonitor")
		if len(monitors) != 1 || len(monitors[0].Spec.PodMetricsEndpoints) != 1 {
			t.Fatalf("%s: the PodMonitors are %+v", set, monitors)
		}
		spec := monitors[0].Spec
		for _, pod := range render.Pods(t, objects) {
			if matches(t, &spec.Selector, pod) != slices.Contains(append([]string{door}, roles...), pod.Role) {
				t.Errorf("%s: whether %s %s is scraped is wrong", set, pod.Kind, pod.Owner)
			}
		}
		for _, pod := range ownPods(t, objects) {
			ports := pod.Template.Spec.Containers[0].Ports
			named := func(port corev1.ContainerPort) bool { return port.Name == spec.PodMetricsEndpoints[0].Port }
			if !slices.ContainsFunc(ports, named) {
				t.Errorf("%s: %s has no port %s", set, pod.Owner, spec.PodMetricsEndpoints[0].Port)
			}
		}
	}
}
