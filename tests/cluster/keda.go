package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"argosy/tests/chart/bed"
)

// programs is the environment variable that names the folder with KEDA's operator, its adapter and its definitions.
const programs = "ARGOSY_KEDA"

// startKeda starts KEDA's operator, which it hands out, and its adapter, and makes that the cluster's API for
// external metrics.
func startKeda(t testing.TB, plane *bed.Bed, crew *processes) (operator *process) {
	t.Helper()
	from := os.Getenv(programs)
	if from == "" {
		t.Fatalf("%s is not set: start this with tests/cluster/run", programs)
	}
	kubectl(t, plane, "apply", "--server-side", "--filename", filepath.Join(from, "crds"))
	kubectl(t, plane, "wait", "--for=condition=Established", "crd", "--all")
	kubectl(t, plane, "create", "namespace", "keda")

	certificates := filepath.Join(crew.folder, "keda-certificates")
	if err := os.Mkdir(certificates, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]string{"ca.crt": "ca.crt", "tls.crt": "apiserver.crt", "tls.key": "apiserver.key"} {
		text, err := os.ReadFile(filepath.Join(plane.Folder, of))
		if err == nil {
			err = os.WriteFile(filepath.Join(certificates, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	env := []string{
		"KUBECONFIG=" + plane.Kubeconfig, "KEDA_CLUSTER_OBJECT_NAMESPACE=keda", "POD_NAMESPACE=keda", "WATCH_NAMESPACE=",
	}
	operator = crew.start(t, "keda-operator", env, filepath.Join(from, "operator"),
		"--kubeconfig="+plane.Kubeconfig, "--cert-dir="+certificates, "--zap-log-level=info", "--zap-encoder=console",
		"--metrics-bind-address=127.0.0.1:8080", "--health-probe-bind-address=127.0.0.1:8081",
		"--metrics-service-bind-address=127.0.0.1:9666")
	within(t, 60*time.Second, "KEDA's operator", answers(operator, "http://127.0.0.1:8081/readyz"))
	adapter := crew.start(t, "keda-adapter", env, filepath.Join(from, "adapter"),
		"--kubeconfig="+plane.Kubeconfig, "--lister-kubeconfig="+plane.Kubeconfig,
		"--authentication-kubeconfig="+plane.Kubeconfig, "--authorization-kubeconfig="+plane.Kubeconfig,
		"--bind-address=127.0.0.1", "--secure-port=6444", "--port=8082", "--cert-dir="+certificates,
		"--tls-cert-file="+filepath.Join(certificates, "tls.crt"),
		"--tls-private-key-file="+filepath.Join(certificates, "tls.key"),
		"--metrics-service-address=localhost:9666")
	serveExternal(t, plane, 6444)
	within(t, 60*time.Second, "KEDA's adapter", func() error {
		if err := adapter.runs(); err != nil {
			return err
		}
		return externalAvailable(plane)
	})
	return operator
}

func answers(process *process, url string) func() error {
	client := http.Client{Timeout: 2 * time.Second}
	return func() error {
		if err := process.runs(); err != nil {
			return err
		}
		answer, err := client.Get(url)
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s says %s", url, answer.Status)
		}
		return nil
	}
}

// serveExternal says who has the cluster's external metrics: who listens at a port of this machine.
func serveExternal(t testing.TB, plane *bed.Bed, port int) {
	t.Helper()
	apply(t, plane, fmt.Sprintf(`
apiVersion: v1
kind: Service
metadata: {name: external-metrics, namespace: keda}
spec: {type: ExternalName, externalName: localhost, ports: [{port: %[1]d}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.external.metrics.k8s.io}
spec:
  service: {name: external-metrics, namespace: keda, port: %[1]d}
  group: external.metrics.k8s.io
  version: v1beta1
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 100
  versionPriority: 100
`, port))
}

func externalAvailable(plane *bed.Bed) error {
	return plane.Client.Discovery().RESTClient().Get().AbsPath("/apis/external.metrics.k8s.io/v1beta1").
		Do(context.Background()).Error()
}

// external is the value that an HPA would be given.
func external(plane *bed.Bed, namespace, metric, selector string) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Second)
	defer cancel()
	text, err := plane.Client.Discovery().RESTClient().Get().
		AbsPath("/apis/external.metrics.k8s.io/v1beta1/namespaces", namespace, metric).
		Param("labelSelector", selector).DoRaw(ctx)
	if err != nil {
		return 0, err
	}
	var list struct {
		Items []struct{ Value string }
	}
	if err := json.Unmarshal(text, &list); err != nil || len(list.Items) != 1 {
		return 0, fmt.Errorf("%s: %v", text, err)
	}
	return strconv.Atoi(list.Items[0].Value)
}

var scaledObjects = schema.GroupVersionResource{Group: "keda.sh", Version: "v1alpha1", Resource: "scaledobjects"}

// scaled is what a ScaledObject says of itself.
type scaled struct {
	Status struct {
		Conditions []metav1.Condition `json:"conditions"`
		Health     map[string]struct {
			NumberOfFailures int    `json:"numberOfFailures"`
			Status           string `json:"status"`
		} `json:"health"`
	} `json:"status"`
}

func scaledObject(plane *bed.Bed, namespace, name string) (scaled, error) {
	var read scaled
	found, err := plane.Dynamic.Resource(scaledObjects).Namespace(namespace).
		Get(context.Background(), name, metav1.GetOptions{})
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, &read)
	}
	return read, err
}

// condition is an error unless a condition of a ScaledObject has this status.
func condition(plane *bed.Bed, namespace, name, kind string, wanted metav1.ConditionStatus) error {
	object, err := scaledObject(plane, namespace, name)
	if err != nil {
		return err
	}
	for _, one := range object.Status.Conditions {
		if one.Type == kind && one.Status == wanted {
			return nil
		}
	}
	return fmt.Errorf("%s is not %s %s: %+v", name, kind, wanted, object.Status)
}

// scalerErrors are how often KEDA could not ask for a ScaledObject, as its metrics say.
func scalerErrors(t testing.TB, name string) int {
	t.Helper()
	answer, err := http.Get("http://127.0.0.1:8080/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	sample := regexp.MustCompile(`(?m)^keda_scaler_detail_errors_total\{[^}]*scaledObject="` + name + `"[^}]*\} (\S+)$`)
	count := 0.0
	for _, found := range sample.FindAllStringSubmatch(string(text), -1) {
		one, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		count += one
	}
	return int(count)
}

// events are what was told about an object, the reasons and the words.
func events(t testing.TB, plane *bed.Bed, namespace, name string) string {
	t.Helper()
	return kubectl(t, plane, "--namespace", namespace, "get", "events", "--field-selector", "involvedObject.name="+name,
		"--output", `jsonpath={range .items[*]}{.reason}: {.message}{"\n"}{end}`)
}

func kubectl(t testing.TB, plane *bed.Bed, args ...string) string {
	t.Helper()
	said, err := plane.Kubectl(args...)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// apply makes or changes objects.
func apply(t testing.TB, plane *bed.Bed, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(path, []byte(strings.TrimSpace(text)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	kubectl(t, plane, "apply", "--filename", path)
}
