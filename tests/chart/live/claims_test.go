package live

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"argosy/tests/chart/bed"
)

func resource(groupVersion, name string) schema.GroupVersionResource {
	parsed, _ := schema.ParseGroupVersion(groupVersion)
	return parsed.WithResource(name)
}

// claims are the claims of a role by name.
func claims(t *testing.T, namespace, role string) map[string]corev1.PersistentVolumeClaim {
	t.Helper()
	list, err := cluster.Client.CoreV1().PersistentVolumeClaims(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]corev1.PersistentVolumeClaim{}
	for _, claim := range list.Items {
		if strings.HasPrefix(claim.Name, "data-argosy-"+role+"-") {
			found[claim.Name] = claim
		}
	}
	return found
}

// TestARetrieverKeepsItsVolume follows the claims of a StatefulSet: a pod that comes back has its own again, and one that is
// scaled away takes it along.
func TestARetrieverKeepsItsVolume(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	helm(t, namespace, "smallest", "roles.retriever.persistence.accessModes={ReadWriteOncePod}")
	before := claims(t, namespace, "retriever")
	names := slices.Sorted(maps.Keys(before))
	if !slices.Equal(names, []string{"data-argosy-retriever-0", "data-argosy-retriever-1"}) {
		t.Fatalf("the claims are %v", names)
	}
	for name, claim := range before {
		if claim.Status.Phase != corev1.ClaimBound || claim.Spec.AccessModes[0] != corev1.ReadWriteOncePod {
			t.Errorf("%s is %s, %v", name, claim.Status.Phase, claim.Spec.AccessModes)
		}
	}

	was := pods(t, namespace, "retriever")["argosy-retriever-0"]
	if err := cluster.Client.CoreV1().Pods(namespace).Delete(ctx, was.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	wait(t, "the pod that was deleted", func() error {
		is, found := pods(t, namespace, "retriever")[was.Name]
		if !found || is.UID == was.UID || is.Status.Phase != corev1.PodRunning {
			return errors.New("it is not back")
		}
		if claim := dataClaim(is); claim != "data-argosy-retriever-0" {
			return fmt.Errorf("it has the claim %q", claim)
		}
		return nil
	})
	if is := claims(t, namespace, "retriever")["data-argosy-retriever-0"]; is.UID != before["data-argosy-retriever-0"].UID {
		t.Error("the claim is another one")
	}

	helm(t, namespace, "smallest", "roles.retriever.persistence.accessModes={ReadWriteOncePod}", "roles.retriever.replicas=1")
	wait(t, "the claim of the pod that is gone", func() error {
		left := slices.Sorted(maps.Keys(claims(t, namespace, "retriever")))
		if !slices.Equal(left, []string{"data-argosy-retriever-0"}) {
			return fmt.Errorf("left are %v", left)
		}
		return nil
	})

	// Other claims would be refused by the server with words that name no key.
	for key, value := range map[string]string{
		"size": "40960Mi", "storageClassName": "fast", "accessModes": "{ReadWriteOnce}",
	} {
		_, err := try(t, namespace, "smallest", "roles.retriever.persistence.accessModes={ReadWriteOncePod}",
			"roles.retriever.persistence."+key+"="+value)
		if err == nil || !strings.Contains(err.Error(), "roles.retriever.persistence."+key+":") ||
			!strings.Contains(err.Error(), "UPGRADING.md") {
			t.Errorf("another %s: %v", key, err)
		}
	}
	// The same size in another unit, and no claims at all, are no other claims.
	helm(t, namespace, "smallest", "roles.retriever.persistence.accessModes={ReadWriteOncePod}",
		"roles.retriever.persistence.size=20480Mi")
	said := helm(t, namespace, "smallest", "roles.retriever.persistence=null", "roles.indexer.enabled=false",
		"roles.conversation.enabled=false", "networkPolicy.enabled=false", "monitoring.prometheusRule.enabled=true",
		"monitoring.prometheusRule.runbookBaseUrl=https://example.com/", "role.mapper.replicas=3")
	if !strings.Contains(said.Info.Notes, "does not read these values: role.") {
		t.Errorf("the notes do not name a misspelt key, or others: %s", said.Info.Notes)
	}
	for _, off := range []string{"roles.indexer", "roles.conversation", "networkPolicy", "monitoring.podMonitor"} {
		if !strings.Contains(said.Info.Notes, off+" is off") {
			t.Errorf("the notes do not say that %s is off: %s", off, said.Info.Notes)
		}
	}
}

// TestOtherClaims goes the way of UPGRADING.md to claims of another size.
func TestOtherClaims(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	kubectl := func(args ...string) {
		t.Helper()
		if _, err := cluster.Kubectl(append(args, "--namespace", namespace)...); err != nil {
			t.Fatal(err)
		}
	}
	helm(t, namespace, "smallest")
	before, were := claims(t, namespace, "retriever"), pods(t, namespace, "retriever")
	kubectl("delete", "statefulset", "argosy-retriever", "--cascade=orphan")
	helm(t, namespace, "smallest", "roles.retriever.persistence.size=40Gi")
	for name, was := range were {
		if pods(t, namespace, "retriever")[name].UID != was.UID {
			t.Errorf("the upgrade replaced %s", name)
		}
		claim := dataClaim(was)
		kubectl("delete", "pvc", claim, "--wait=false")
		kubectl("delete", "pod", name)
		wait(t, "the next "+name, func() error {
			is := claims(t, namespace, "retriever")[claim]
			if size := is.Spec.Resources.Requests.Storage(); is.UID == before[claim].UID || size.String() != "40Gi" {
				return fmt.Errorf("its claim has %s", size)
			}
			if pod := pods(t, namespace, "retriever")[name]; pod.UID == was.UID || pod.Status.Phase != corev1.PodRunning {
				return fmt.Errorf("it is %s", pod.Status.Phase)
			}
			return nil
		})
	}
}

func dataClaim(pod corev1.Pod) string {
	for _, volume := range pod.Spec.Volumes {
		if volume.Name == "data" && volume.PersistentVolumeClaim != nil {
			return volume.PersistentVolumeClaim.ClaimName
		}
	}
	return ""
}

// TestOnePodIsEvictedAtATime drains as `kubectl drain` does. The pods take some seconds to be ready, as real ones do: where
// one is ready at once, nothing is ever unavailable.
func TestOnePodIsEvictedAtATime(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	annotation := strings.ReplaceAll(bed.ReadyAfter, ".", `\.`)
	helm(t, namespace, "smallest", "roles.mapper.podAnnotations."+annotation+"=3s")
	evict := func(pod string) error {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: namespace}}
		return cluster.Client.PolicyV1().Evictions(namespace).Evict(ctx, eviction)
	}
	budget := func(allowed int32) func() error {
		return func() error {
			budget, err := cluster.Client.PolicyV1().PodDisruptionBudgets(namespace).Get(ctx, "argosy-mapper", metav1.GetOptions{})
			if err == nil && budget.Status.DisruptionsAllowed != allowed {
				err = fmt.Errorf("%d may be evicted", budget.Status.DisruptionsAllowed)
			}
			return err
		}
	}
	wait(t, "the budget", budget(1))
	names := slices.Sorted(maps.Keys(pods(t, namespace, "mapper")))
	if err := evict(names[0]); err != nil {
		t.Fatalf("the first: %v", err)
	}
	if err := evict(names[1]); !apierrors.IsTooManyRequests(err) {
		t.Errorf("the second is not refused: %v", err)
	}
	wait(t, "the budget after the pod that takes its place is ready", budget(1))
	if err := evict(names[1]); err != nil {
		t.Errorf("the second, later: %v", err)
	}
}
