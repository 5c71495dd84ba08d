// Package live installs the chart on a control plane and looks at what becomes of it. All tests share one control plane, each
// with a namespace of its own that admits nothing but "restricted" pods.
package live

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/bed"
	"argosy/tests/chart/render"
	"argosy/tests/chart/tools"
)

var (
	cluster *bed.Bed
	ctx     = context.Background()
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "argosy-chart-")
	if err == nil {
		defer os.RemoveAll(folder)
		cluster, err = bed.Start(folder)
	}
	if err == nil {
		defer cluster.Stop()
		err = define()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// define brings the kinds of KEDA and of the Prometheus operator, and what value sets name and every cluster has.
func define() error {
	crds, err := tools.Path("crds")
	if err != nil {
		return err
	}
	// Applied by the server: the definitions are too long for the annotation of the other way.
	if _, err := cluster.Kubectl("apply", "--server-side", "--filename", crds); err != nil {
		return err
	}
	// kubectl fails where the server has not yet said anything of a definition.
	if err := cluster.Wait("the kinds of others", func() error {
		_, err := cluster.Kubectl("wait", "--for=condition=Established", "crd", "--all")
		return err
	}); err != nil {
		return err
	}
	_, err = cluster.Kubectl("apply", "--filename", "testdata/cluster.yaml")
	return err
}

// namespace makes a namespace for a test, with these accounts. It is left behind: the control plane ends with the tests.
func namespace(t *testing.T, accounts ...string) string {
	t.Helper()
	name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(t.Name(), "Test"), "/", "-"))
	name = name[:min(len(name), 60)]
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	if _, err := cluster.Client.CoreV1().Namespaces().Create(ctx, made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	wait(t, "the account of "+name, func() error {
		_, err := cluster.Client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	for _, account := range accounts {
		made := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: account}}
		if _, err := cluster.Client.CoreV1().ServiceAccounts(name).Create(ctx, made, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

func wait(t *testing.T, what string, ask func() error) {
	t.Helper()
	if err := cluster.Wait(what, ask); err != nil {
		t.Fatal(err)
	}
}

// installed is what helm says of a release.
type installed struct {
	Info struct {
		Status string `json:"status"`
		Notes  string `json:"notes"`
	} `json:"info"`
}

// helm installs or upgrades a value set, waits until all of it is rolled out, and hands out what it says.
func helm(t *testing.T, namespace, set string, flags ...string) installed {
	t.Helper()
	said, err := try(t, namespace, set, flags...)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// try is helm where it may be refused.
func try(t *testing.T, namespace, set string, flags ...string) (installed, error) {
	t.Helper()
	args := []string{
		"upgrade", "--install", render.Release, render.Chart(t), "--namespace", namespace,
		"--values", render.Values(t, set), "--wait", "--timeout", bed.Patience.String(), "--output", "json",
	}
	for _, flag := range flags {
		args = append(args, "--set", flag)
	}
	text, err := cluster.Helm(args...)
	if err != nil {
		return installed{}, err
	}
	var said installed
	return said, json.Unmarshal([]byte(text), &said)
}

// pods are the pods of a role that are not being deleted, by their names.
func pods(t *testing.T, namespace, role string) map[string]corev1.Pod {
	t.Helper()
	selector := metav1.ListOptions{LabelSelector: render.Component + "=" + role}
	list, err := cluster.Client.CoreV1().Pods(namespace).List(ctx, selector)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		if pod.DeletionTimestamp == nil {
			found[pod.Name] = pod
		}
	}
	return found
}
