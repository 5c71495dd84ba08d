package live

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/render"
)

// TestTheServerAcceptsEveryRender sends what is rendered to the API server, which knows KEDA's and the Prometheus operator's
// kinds and takes no field that it does not know.
func TestTheServerAcceptsEveryRender(t *testing.T) {
	t.Parallel()
	namespace := namespace(t, "argosy", "argosy-pods", "argosy-readers")
	for _, set := range render.Sets(t) {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			if err := offer(t, namespace, render.Raw(t, set)); err != nil {
				t.Error(err)
			}
		})
	}
}

// offer asks the server what it would say of objects, and changes nothing.
func offer(t *testing.T, namespace, text string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := cluster.Kubectl("apply", "--server-side", "--dry-run=server", "--validate=strict", "--output", "name",
		"--namespace", namespace, "--filename", file)
	return err
}

// misspelt are fields of one letter more or less, in kinds of Kubernetes, of KEDA and of the Prometheus operator.
var misspelt = []struct{ set, from, to string }{
	{"production", "maxReplicaCount:", "maxReplicasCount:"},
	{"production", "currentReplicasIfHigher", "currentReplicasIfMore"},
	{"production", "podMetricsEndpoints:", "podMetricEndpoints:"},
	{"production", "terminationGracePeriodSeconds:", "terminationGraceSeconds:"},
	{"production", "alert: ArgosyRoleMissing", "alerts: ArgosyRoleMissing"},
	{"hpa", "averageValue:", "averageValues:"},
	{"door", "averageUtilization:", "averageUtilisation:"},
	{"door", "sleep:", "sleeps:"},
	{"smallest", "unhealthyPodEvictionPolicy:", "unhealthyPodsEvictionPolicy:"},
}

func TestTheServerRefusesAMisspeltField(t *testing.T) {
	t.Parallel()
	namespace := namespace(t, "argosy")
	for _, one := range misspelt {
		wrongly, _, _ := strings.Cut(one.to, ":")
		t.Run(wrongly, func(t *testing.T) {
			t.Parallel()
			text := render.Raw(t, one.set)
			wrong := strings.Replace(text, one.from, one.to, 1)
			if wrong == text {
				t.Fatalf("%s does not say %s", one.set, one.from)
			}
			if err := offer(t, namespace, wrong); err == nil || !strings.Contains(err.Error(), wrongly) {
				t.Errorf("%s: %v", wrongly, err)
			}
		})
	}
}

// TestRestrictedAdmitsEveryPod makes the pods themselves, because a namespace refuses pods and not what makes them.
func TestRestrictedAdmitsEveryPod(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	create := func(name string, spec corev1.PodSpec) error {
		spec.ServiceAccountName = "default"
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
		options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
		_, err := cluster.Client.CoreV1().Pods(namespace).Create(ctx, pod, options)
		return err
	}
	var last corev1.PodSpec
	for _, set := range render.Sets(t) {
		for n, pod := range render.Pods(t, render.Set(t, set)) {
			if err := create(fmt.Sprintf("%s-%d", set, n), *pod.Template.Spec.DeepCopy()); err != nil {
				t.Errorf("%s: %s %s: %v", set, pod.Kind, pod.Owner, err)
			}
			last = pod.Template.Spec
		}
	}
	yes, no := true, false
	last.SecurityContext.RunAsNonRoot = &no
	last.Containers[0].SecurityContext.AllowPrivilegeEscalation = &yes
	last.Containers[0].SecurityContext.Capabilities = nil
	err := create("bad", last)
	if err == nil {
		t.Fatal("a bad pod is admitted")
	}
	for _, field := range []string{"runAsNonRoot", "allowPrivilegeEscalation", "capabilities.drop"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("the refusal does not name %s: %v", field, err)
		}
	}
}
