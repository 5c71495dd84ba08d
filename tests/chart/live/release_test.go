package live

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"argosy/tests/chart/bed"
	"argosy/tests/chart/render"
)

// TestALifeOfARelease installs, tests, upgrades and removes a fleet.
func TestALifeOfARelease(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	while, cancel := context.WithTimeout(ctx, bed.Patience)
	defer cancel()
	jobs, err := cluster.Client.BatchV1().Jobs(namespace).Watch(while, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer jobs.Stop()

	said := helm(t, namespace, "smallest")
	for _, words := range []string{
		"argosy ask", "deploy/argosy-gateway", "logs job/argosy-setup", "No documents are brought in", "No alerts",
	} {
		if !strings.Contains(said.Info.Notes, words) {
			t.Errorf("the notes do not say %q: %s", words, said.Info.Notes)
		}
	}
	checkSetupCameFirst(t, namespace, jobs)
	checkRolledOut(t, namespace)

	if out, err := cluster.Helm("test", render.Release, "--namespace", namespace, "--timeout", bed.Patience.String()); err != nil {
		t.Errorf("helm test: %v", err)
	} else if !strings.Contains(out, "Phase:          Succeeded") {
		t.Errorf("helm test says %s", out)
	}

	before := uids(t, namespace)
	helm(t, namespace, "smallest", "roles.mapper.config.mapper.max_tokens=99")
	after := uids(t, namespace)
	for role, was := range before {
		if slices.Equal(was, after[role]) == (role == "mapper") {
			t.Errorf("the pods of %s were %v and are %v", role, was, after[role])
		}
	}

	if _, err := cluster.Helm("uninstall", render.Release, "--namespace", namespace, "--wait"); err != nil {
		t.Fatal(err)
	}
	wait(t, "an empty namespace", func() error { return onlyClaimsAreLeft(t, namespace) })
}

// checkSetupCameFirst compares the moment at which the job of set-up was complete with that at which the first workload was
// made. Versions of objects are counted over all of them.
func checkSetupCameFirst(t *testing.T, namespace string, jobs watch.Interface) {
	t.Helper()
	complete, deleted := 0, false
	for !deleted {
		event, open := <-jobs.ResultChan()
		if !open {
			t.Fatal("set-up was not deleted in time")
		}
		job := event.Object.(*batchv1.Job)
		if job.Status.Succeeded > 0 && complete == 0 {
			complete = version(t, job.ResourceVersion)
		}
		deleted = event.Type == watch.Deleted
	}
	if complete == 0 {
		t.Fatal("set-up was deleted before it was complete")
	}
	created, err := cluster.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, render.Release, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The account of the release is made before all workloads and never changed.
	if first := version(t, created.ResourceVersion); first < complete {
		t.Errorf("the release began at %d, and set-up was complete at %d", first, complete)
	}
}

func version(t *testing.T, text string) int {
	t.Helper()
	number, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

// checkRolledOut looks at what `helm --wait` has waited for: every pod is there, ready, and on a node.
func checkRolledOut(t *testing.T, namespace string) {
	t.Helper()
	deployments, err := cluster.Client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := cluster.Client.AppsV1().StatefulSets(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(deployments.Items) != 7 || len(sets.Items) != 2 {
		t.Errorf("there are %d Deployments and %d StatefulSets", len(deployments.Items), len(sets.Items))
	}
	for _, one := range deployments.Items {
		if one.Status.AvailableReplicas != *one.Spec.Replicas || *one.Spec.Replicas != 2 {
			t.Errorf("%s has %d of %d pods", one.Name, one.Status.AvailableReplicas, *one.Spec.Replicas)
		}
	}
	for _, one := range sets.Items {
		if one.Status.ReadyReplicas != *one.Spec.Replicas || *one.Spec.Replicas != 2 {
			t.Errorf("%s has %d of %d pods", one.Name, one.Status.ReadyReplicas, *one.Spec.Replicas)
		}
		nodes := map[string]bool{}
		for _, pod := range pods(t, namespace, one.Labels[render.Component]) {
			nodes[pod.Spec.NodeName] = true
		}
		if len(nodes) != 2 {
			t.Errorf("the pods of %s are on the nodes %v", one.Name, nodes)
		}
	}
}

// uids are the pods of each role, by what is never given twice.
func uids(t *testing.T, namespace string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, role := range render.Without(render.Roles(), "indexer") {
		for _, pod := range pods(t, namespace, role) {
			found[role] = append(found[role], string(pod.UID))
		}
		slices.Sort(found[role])
		if len(found[role]) == 0 {
			t.Errorf("%s has no pods", role)
		}
	}
	return found
}

// everyNamespace has these without any release.
var everyNamespace = []string{"ServiceAccount default", "ConfigMap kube-root-ca.crt"}

// onlyClaimsAreLeft goes through all kinds that a namespace can hold.
func onlyClaimsAreLeft(t *testing.T, namespace string) error {
	t.Helper()
	_, lists, err := cluster.Client.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	claims := 0
	for _, list := range lists {
		for _, kind := range list.APIResources {
			if !kind.Namespaced || kind.Kind == "Event" || !slices.Contains(kind.Verbs, "list") {
				continue
			}
			found, err := cluster.Dynamic.Resource(resource(list.GroupVersion, kind.Name)).Namespace(namespace).
				List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, object := range found.Items {
				name := fmt.Sprintf("%s %s", kind.Kind, object.GetName())
				switch {
				case kind.Kind == "PersistentVolumeClaim":
					claims++
				case !slices.Contains(everyNamespace, name):
					return fmt.Errorf("%s is left", name)
				}
			}
		}
	}
	if claims != 4 {
		return fmt.Errorf("%d claims are left", claims)
	}
	return nil
}

// A tool that knows no hooks gets a plain job, and another one when what it does changes.
func TestSetupAsAPlainJob(t *testing.T) {
	t.Parallel()
	namespace := namespace(t, "answers")
	job := func() string {
		var name string
		wait(t, "the job of set-up", func() error {
			jobs, err := cluster.Client.BatchV1().Jobs(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			running := slices.DeleteFunc(jobs.Items, func(job batchv1.Job) bool { return job.DeletionTimestamp != nil })
			if len(running) != 1 || running[0].Status.Succeeded != 1 {
				return fmt.Errorf("there are %d jobs", len(running))
			}
			name = running[0].Name
			return nil
		})
		return name
	}
	helm(t, namespace, "gitops")
	first := job()
	helm(t, namespace, "gitops", "roles.mapper.slots=8")
	if again := job(); again != first {
		t.Errorf("set-up runs again (%s, %s) though nothing that it does has changed", first, again)
	}
	helm(t, namespace, "gitops", "config.streams.ack_wait=30s")
	if again := job(); again == first {
		t.Errorf("set-up does not run again: %s", again)
	}
}

// What others put behind a name counts, too: the pods of a StatefulSet have a label with its name and eleven signs more, and
// a label has 63 at most. A CronJob leaves eleven for the time.
func TestTheLongestName(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	longest := strings.Repeat("fleet-of-a-long-name-", 5) + "x"
	helm(t, namespace, "smallest", "fullnameOverride="+longest, "documents.enabled=true", "documents.schedule=0 3 * * *",
		"documents.volume.persistentVolumeClaim.claimName=papers")
	for name := range pods(t, namespace, "conversation") {
		if !strings.HasPrefix(name, longest[:30]) {
			t.Errorf("a pod is called %s", name)
		}
	}
}
