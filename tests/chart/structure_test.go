package chart

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"argosy/tests/chart/render"
)

// roles are the words for who runs.
var roles = render.Roles()

// everySet runs a check over the render of every value set.
func everySet(t *testing.T, check func(t *testing.T, objects render.Objects)) {
	for _, set := range render.Sets(t) {
		t.Run(set, func(t *testing.T) {
			check(t, render.Set(t, set))
		})
	}
}

// ownPods are the pods of Argosy that run until they are told to stop, which are all that do but a NATS server for trials.
func ownPods(t *testing.T, objects render.Objects) []render.Pod {
	return slices.DeleteFunc(render.Workloads(t, objects), func(pod render.Pod) bool { return pod.Role == "nats" })
}

// rolePods are those of them that take steps.
func rolePods(t *testing.T, objects render.Objects) []render.Pod {
	return slices.DeleteFunc(ownPods(t, objects), func(pod render.Pod) bool { return pod.Role == door })
}

func matches(t *testing.T, selector *metav1.LabelSelector, pod render.Pod) bool {
	t.Helper()
	compiled, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Matches(labels.Set(pod.Template.Labels))
}

// selected are the owners of the pods that a selector finds.
func selected(t *testing.T, selector *metav1.LabelSelector, pods []render.Pod) []string {
	t.Helper()
	var found []string
	for _, pod := range pods {
		if matches(t, selector, pod) {
			found = append(found, pod.Owner)
		}
	}
	return found
}

func isAlone(owners []string, owner string) bool {
	return len(owners) == 1 && owners[0] == owner
}

func TestSelectorsFindTheirPodsAndNoOthers(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		pods := render.Pods(t, objects)
		for _, pod := range render.Workloads(t, objects) {
			if found := selected(t, pod.Selector, pods); !isAlone(found, pod.Owner) {
				t.Errorf("%s %s selects the pods of %v", pod.Kind, pod.Owner, found)
			}
			for _, spread := range pod.Template.Spec.TopologySpreadConstraints {
				if found := selected(t, spread.LabelSelector, pods); !isAlone(found, pod.Owner) {
					t.Errorf("%s spreads over %s by the pods of %v", pod.Owner, spread.TopologyKey, found)
				}
			}
		}
		for _, service := range render.All[corev1.Service](t, objects, "Service") {
			selector := &metav1.LabelSelector{MatchLabels: service.Spec.Selector}
			if found := selected(t, selector, pods); !isAlone(found, service.Name) {
				t.Errorf("the Service %s leads to the pods of %v", service.Name, found)
			}
		}
		for _, policy := range render.All[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy") {
			found := selected(t, &policy.Spec.PodSelector, pods)
			right := len(found) == len(pods)
			if policy.Labels[render.Component] == door {
				right = isAlone(found, render.Release+"-"+door)
			}
			if !right {
				t.Errorf("the NetworkPolicy %s is about the pods of %v", policy.Name, found)
			}
		}
	})
}

func TestEveryRoleMayLoseOnePodAtATime(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		covered := map[string]int{}
		for _, budget := range render.All[policyv1.PodDisruptionBudget](t, objects, "PodDisruptionBudget") {
			found := selected(t, budget.Spec.Selector, render.Pods(t, objects))
			if !isAlone(found, budget.Name) {
				t.Errorf("the PodDisruptionBudget %s is about the pods of %v", budget.Name, found)
			}
			if budget.Spec.MaxUnavailable == nil || budget.Spec.MinAvailable != nil {
				t.Errorf("%s: minAvailable keeps a node with the last pod from being drained", budget.Name)
			}
			if policy := budget.Spec.UnhealthyPodEvictionPolicy; policy == nil || *policy != policyv1.AlwaysAllow {
				t.Errorf("%s: a pod that is not ready keeps its node from being drained", budget.Name)
			}
			covered[budget.Name]++
		}
		for _, pod := range ownPods(t, objects) {
			if covered[pod.Owner] != 1 {
				t.Errorf("%s has %d PodDisruptionBudgets", pod.Owner, covered[pod.Owner])
			}
		}
	})
}

// scaledObject is what this chart uses of KEDA's kind; the control plane checks it against the whole definition.
type scaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		ScaleTargetRef  autoscalingv2.CrossVersionObjectReference `json:"scaleTargetRef"`
		PollingInterval int32                                     `json:"pollingInterval"`
		CooldownPeriod  int32                                     `json:"cooldownPeriod"`
		MinReplicaCount int32                                     `json:"minReplicaCount"`
		MaxReplicaCount int32                                     `json:"maxReplicaCount"`
		Fallback        struct {
			FailureThreshold int32  `json:"failureThreshold"`
			Replicas         int32  `json:"replicas"`
			Behavior         string `json:"behavior"`
		} `json:"fallback"`
		Advanced map[string]any `json:"advanced"`
		Triggers []struct {
			Type       string            `json:"type"`
			MetricType string            `json:"metricType"`
			Metadata   map[string]string `json:"metadata"`
		} `json:"triggers"`
	} `json:"spec"`
}

// scaler is what decides how many pods a workload has.
type scaler struct {
	kind     string
	min, max int32
}

// scalers are the autoscalers of a render by what they scale; a second one of a workload is a mistake.
func scalers(t *testing.T, objects render.Objects) map[string]scaler {
	t.Helper()
	found := map[string]scaler{}
	add := func(target autoscalingv2.CrossVersionObjectReference, one scaler) {
		key := fmt.Sprintf("%s %s %s", target.APIVersion, target.Kind, target.Name)
		if _, twice := found[key]; twice {
			t.Errorf("%s has two autoscalers", key)
		}
		found[key] = one
	}
	for _, hpa := range render.All[autoscalingv2.HorizontalPodAutoscaler](t, objects, "HorizontalPodAutoscaler") {
		add(hpa.Spec.ScaleTargetRef, scaler{hpa.Kind, *hpa.Spec.MinReplicas, hpa.Spec.MaxReplicas})
	}
	for _, keda := range render.All[scaledObject](t, objects, "ScaledObject") {
		add(keda.Spec.ScaleTargetRef, scaler{keda.Kind, keda.Spec.MinReplicaCount, keda.Spec.MaxReplicaCount})
	}
	return found
}

// scalerOf is the autoscaler of a workload, if it has one.
func scalerOf(t *testing.T, objects render.Objects, pod render.Pod) (scaler, bool) {
	t.Helper()
	one, found := scalers(t, objects)["apps/v1 "+pod.Kind+" "+pod.Owner]
	return one, found
}

func TestOneDecidesHowManyPodsThereAre(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		left := scalers(t, objects)
		for _, pod := range render.Workloads(t, objects) {
			key := "apps/v1 " + pod.Kind + " " + pod.Owner
			one, scaled := left[key]
			delete(left, key)
			switch {
			case scaled && pod.Replicas != nil:
				t.Errorf("%s says replicas, which fight with its %s at every upgrade", pod.Owner, one.kind)
			case !scaled && pod.Replicas == nil:
				t.Errorf("nothing says how many pods %s has", pod.Owner)
			}
		}
		for target := range left {
			t.Errorf("an autoscaler is for %s, which is not there", target)
		}
	})
}

func TestWhatIsKeptOnDiskHasAVolumeOfItsOwn(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, set := range render.All[appsv1.StatefulSet](t, objects, "StatefulSet") {
			policy := set.Spec.PersistentVolumeClaimRetentionPolicy
			if policy == nil || policy.WhenScaled != appsv1.DeletePersistentVolumeClaimRetentionPolicyType ||
				policy.WhenDeleted != appsv1.RetainPersistentVolumeClaimRetentionPolicyType {
				t.Errorf("%s: claims are kept as %v", set.Name, policy)
			}
			if _, found := objects.Find("Service", set.Spec.ServiceName); !found {
				t.Errorf("%s: its pods have no Service for their names", set.Name)
			}
			if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
				t.Errorf("%s: a pod waits for those before it", set.Name)
			}
		}
		for _, pod := range ownPods(t, objects) {
			isKept := pod.Role == "retriever" || pod.Role == "conversation"
			if (pod.Kind == "StatefulSet") != isKept {
				t.Errorf("%s is a %s", pod.Owner, pod.Kind)
			}
		}
	})
}
