package chart

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/render"
)

// Autoscaling on a queue has traps that others have fallen into. Each test here names one and looks at what the objects do
// against it; the behaviour itself is tested with KEDA and a real fleet.

// A consumer that is missing, or a server that is away, must neither stop a role nor scale it to its most.
func TestWithoutAnAnswerThereAreSomePods(t *testing.T) {
	for _, keda := range render.All[scaledObject](t, render.Set(t, "production"), "ScaledObject") {
		fallback := keda.Spec.Fallback
		if fallback.FailureThreshold < 1 || fallback.Replicas < 1 || fallback.Replicas > keda.Spec.MaxReplicaCount {
			t.Errorf("%s: the fallback is %+v", keda.Name, fallback)
		}
		// More than the fallback that run already have work: they stay.
		if fallback.Behavior != "currentReplicasIfHigher" {
			t.Errorf("%s: the fallback takes pods away", keda.Name)
		}
		for _, trigger := range keda.Spec.Triggers {
			if trigger.MetricType != "AverageValue" {
				t.Errorf("%s: KEDA has no fallback for %q", keda.Name, trigger.MetricType)
			}
		}
	}
}

// At zero pods nobody but set-up could make a consumer, and a missing one has no lag.
func TestSetupMakesConsumersAndRolesDoNot(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, pod := range rolePods(t, objects) {
			args := pod.Template.Spec.Containers[0].Args
			if wanted := []string{"run", pod.Role, "--config", render.ConfigFile}; !slices.Equal(args, wanted) {
				t.Errorf("%s runs %v", pod.Owner, args)
			}
			if len(pod.Template.Spec.InitContainers) > 0 {
				t.Errorf("%s does something before it runs", pod.Owner)
			}
		}
		for _, job := range render.All[batchv1.Job](t, objects, "Job") {
			if job.Labels[render.Component] != "setup" {
				continue
			}
			args := job.Spec.Template.Spec.Containers[0].Args
			if args[0] != "setup" {
				t.Errorf("set-up runs %v", args)
			}
			_, isHook := job.Annotations["helm.sh/hook"]
			object, _ := objects.Find("Job", job.Name)
			if isHook != (object.Hook("pre-install") && object.Hook("pre-upgrade")) {
				t.Errorf("set-up runs at %s", job.Annotations["helm.sh/hook"])
			}
		}
	})
	for set, jobs := range map[string]int{"smallest": 1, "dev-stack": 1, "gitops": 1, "readers": 0} {
		if found := len(render.Set(t, set).Kind("Job")); found != jobs {
			t.Errorf("%s has %d jobs of set-up", set, found)
		}
	}
}

// Five roles at zero cost five cold starts, one after the other, for the first question.
func TestNoRoleSleepsUnlessItIsToldTo(t *testing.T) {
	least := chartValues(t)["defaults"].(map[string]any)["autoscaling"].(map[string]any)["minReplicas"]
	if least != 1.0 {
		t.Errorf("a role has %v pods at least", least)
	}
}

var headless = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+:\d+$`)

// Only the leader of a consumer knows its lag; KEDA finds it where every server has a name of its own under the endpoint.
func TestKedaAsksTheServersByName(t *testing.T) {
	for _, keda := range render.All[scaledObject](t, render.Set(t, "production"), "ScaledObject") {
		for _, trigger := range keda.Spec.Triggers {
			endpoint := trigger.Metadata["natsServerMonitoringEndpoint"]
			if trigger.Type != "nats-jetstream" || !headless.MatchString(endpoint) {
				t.Errorf("%s asks %s at %q", keda.Name, trigger.Type, endpoint)
			}
			if trigger.Metadata["account"] != "ARGOSY" || trigger.Metadata["activationLagThreshold"] != "0" {
				t.Errorf("%s asks %v", keda.Name, trigger.Metadata)
			}
			role := strings.TrimPrefix(keda.Name, "argosy-")
			stream, consumer := trigger.Metadata["stream"], trigger.Metadata["consumer"]
			if wanted := queues[role]; wanted != [2]string{stream, consumer} {
				t.Errorf("%s reads %s/%s", keda.Name, stream, consumer)
			}
		}
	}
}

// queues are what roles wait for, as `argosy setup` makes them.
var queues = map[string][2]string{
	"planner": {"ARGOSY_STEPS_0", "planner"}, "mapper": {"ARGOSY_STEPS_0", "mapper"},
	"reducer": {"ARGOSY_STEPS_0", "reducer"}, "clarifier": {"ARGOSY_STEPS_0", "clarifier"},
	"indexer": {"ARGOSY_DOCUMENTS", "indexer-main"},
}

// The limit of a consumer is shared by all its pods: with less than they can hold, more pods change nothing.
func TestTheServerHandsOutWhatAllPodsCanHold(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		for _, pod := range rolePods(t, objects) {
			options := render.Parse(t, render.Config(t, objects, pod))
			pods := int64(0)
			if one, scaled := scalerOf(t, objects, pod); scaled {
				pods = int64(one.max)
			} else {
				pods = int64(*pod.Replicas)
			}
			limit, _ := options.Get("streams", "max_ack_pending").(int64)
			if held := pods * slots(t, options, pod.Role); limit < held {
				t.Errorf("%s: %d pods hold %d messages, and the server hands out %d", pod.Owner, pods, held, limit)
			}
		}
	})
}

// slots are how many messages a pod takes at once: as many as it asks for, so that others are not kept from pods with room.
func slots(t *testing.T, options render.Options, role string) int64 {
	t.Helper()
	section := "run"
	if role == "indexer" {
		section = "indexer"
	}
	slots, isNumber := options.Get(section, "slots").(int64)
	if !isNumber || slots < 1 {
		t.Fatalf("%s has %v slots", role, options.Get(section, "slots"))
	}
	return slots
}

// slotsOfAMessage are how many slots one message takes: a mapper makes the calls of up to `mapper.batch` passages for each.
func slotsOfAMessage(t *testing.T, options render.Options, role string) int64 {
	t.Helper()
	if role != "mapper" {
		return 1
	}
	switch batch := options.Get("mapper", "batch").(type) {
	case nil:
		return 8
	case int64:
		return batch
	default:
		t.Fatalf("mapper.batch is %v", batch)
		return 0
	}
}

func TestScalersCountInSlots(t *testing.T) {
	perSlot := map[string]map[string]int64{"production": {"clarifier": 1}, "hpa": {}}
	otherwise := map[string]int64{"production": 2, "hpa": 4}
	for set, of := range perSlot {
		objects := render.Set(t, set)
		thresholds := map[string]string{}
		for _, keda := range render.All[scaledObject](t, objects, "ScaledObject") {
			thresholds[keda.Name] = keda.Spec.Triggers[0].Metadata["lagThreshold"]
		}
		for _, hpa := range render.All[autoscalingv2.HorizontalPodAutoscaler](t, objects, "HorizontalPodAutoscaler") {
			external := hpa.Spec.Metrics[0].External
			thresholds[hpa.Name] = external.Target.AverageValue.String()
			role := external.Metric.Selector.MatchLabels["role"]
			if external.Metric.Name != "fleet_backlog" || "argosy-"+role != hpa.Name {
				t.Errorf("%s reads %s of %s", hpa.Name, external.Metric.Name, role)
			}
		}
		for _, pod := range rolePods(t, objects) {
			times := otherwise[set]
			if one, found := of[pod.Role]; found {
				times = one
			}
			options := render.Parse(t, render.Config(t, objects, pod))
			messages := slots(t, options, pod.Role) * times / slotsOfAMessage(t, options, pod.Role)
			wanted := strconv.FormatInt(messages, 10)
			if is, scaled := thresholds[pod.Owner]; scaled && is != wanted {
				t.Errorf("%s: %s has a pod for each %s messages, and should for %s", set, pod.Owner, is, wanted)
			}
		}
		if len(thresholds) < 5 {
			t.Errorf("%s scales %v", set, thresholds)
		}
	}
}

// The page that HPAs are explained on names the metric that they read and the rule that it comes from.
func TestTheMetricOfHPAsComesFromSomewhere(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(render.Chart(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	metric := chartValues(t)["defaults"].(map[string]any)["autoscaling"].(map[string]any)["hpaMetric"]
	for _, words := range []string{fmt.Sprintf("as: %s", metric), `__name__="argosy:role_backlog"`} {
		if !strings.Contains(string(page), words) {
			t.Errorf("README.md does not say %s", words)
		}
	}
	recorded := func(one rule) bool {
		return one.Record == "argosy:role_backlog" && strings.HasPrefix(one.Expr, "max by (role) (") &&
			strings.Contains(one.Expr, "ack_pending")
	}
	if !slices.ContainsFunc(ruleFiles(t), recorded) {
		t.Error("no rule records argosy:role_backlog as the most of what waits and what is held")
	}
}

// The monitoring port of NATS tells everything to everybody: the pods of a fleet do not need it, and the server that comes
// with the chart does not let it be reached.
func TestNetworkPolicyLetsThroughWhatIsNeeded(t *testing.T) {
	everySet(t, func(t *testing.T, objects render.Objects) {
		policies := render.All[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy")
		if len(policies) == 0 {
			return
		}
		spec := policies[0].Spec
		if policies[0].Labels[render.Component] != "" {
			t.Fatalf("the first policy is that of %s", policies[0].Name)
		}
		if !slices.Equal(spec.PolicyTypes, []networkingv1.PolicyType{"Ingress", "Egress"}) {
			t.Errorf("the policy is about %v", spec.PolicyTypes)
		}
		_, ownServer := objects.Find("Deployment", "argosy-nats")
		for _, rule := range spec.Ingress {
			for _, port := range rule.Ports {
				if isServer := port.Port.IntValue() == 4222; isServer && !isOwn(rule.From, spec.PodSelector) {
					t.Errorf("the server of the chart is reached by %v", rule.From)
				}
				if number := port.Port.IntValue(); number != 9464 && !(ownServer && number == 4222) {
					t.Errorf("the port %d is reached from outside", number)
				}
			}
		}
		var out []string
		for _, rule := range spec.Egress {
			for _, port := range rule.Ports {
				out = append(out, port.Port.String())
			}
		}
		if slices.Contains(out, "8222") {
			t.Error("pods reach the monitoring of NATS")
		}
		for _, pod := range ownPods(t, objects) {
			for _, port := range called(t, render.Config(t, objects, pod)) {
				if !slices.Contains(out, port) {
					t.Errorf("%s calls the port %s, and reaches %v", pod.Owner, port, out)
				}
			}
		}
	})
}

// isOwn says whether peers are the pods that a selector finds in their own namespace, and no others.
func isOwn(peers []networkingv1.NetworkPolicyPeer, own metav1.LabelSelector) bool {
	return len(peers) == 1 && peers[0].NamespaceSelector == nil && reflect.DeepEqual(peers[0].PodSelector, &own)
}

// Of several servers only the first must have a scheme.
func TestPortsOfServersWithoutScheme(t *testing.T) {
	objects := render.With(t, "smallest", `nats.url=nats://a:4222\,b:4333\,10.0.0.1:4444\,[::1]:4555`)
	spec := render.All[networkingv1.NetworkPolicy](t, objects, "NetworkPolicy")[0].Spec
	var out []int
	for _, rule := range spec.Egress {
		for _, port := range rule.Ports {
			out = append(out, port.Port.IntValue())
		}
	}
	for _, port := range []int{4222, 4333, 4444, 4555} {
		if !slices.Contains(out, port) {
			t.Errorf("the port %d is not reached, but %v", port, out)
		}
	}
}

// What an indexer waits for depends on its edition, which may be said for all roles or for this one.
func TestKedaAsksForTheEditionOfTheIndexer(t *testing.T) {
	for _, flag := range []string{"config.indexer.edition=next", "roles.indexer.config.indexer.edition=next"} {
		for _, keda := range render.All[scaledObject](t, render.With(t, "production", flag), "ScaledObject") {
			consumer := keda.Spec.Triggers[0].Metadata["consumer"]
			if keda.Name == "argosy-indexer" && consumer != "indexer-next" {
				t.Errorf("with %s KEDA asks for %s", flag, consumer)
			}
		}
	}
}

var address = regexp.MustCompile(`(nats|tls|https?)://[^",/]+`)

// called are the ports of all URLs in a configuration.
func called(t *testing.T, config string) []string {
	t.Helper()
	var ports []string
	for _, found := range address.FindAllString(config, -1) {
		at, err := url.Parse(found)
		if err != nil || at.Port() == "" {
			t.Fatalf("%s: %v", found, err)
		}
		ports = append(ports, at.Port())
	}
	return ports
}
