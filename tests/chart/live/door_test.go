package live

import (
	"fmt"
	"strings"
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/render"
)

// TestDoorsBehindTheirService installs open doors, looks for whom the Service leads to, and hands them to an autoscaler, which
// keeps how many there are.
func TestDoorsBehindTheirService(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	said := helm(t, namespace, "smallest", "door.enabled=true", "door.replicas=3", "config.door.open=true")
	for _, words := range []string{"port-forward svc/argosy-door 8080:80", "WARNING: the door is open"} {
		if !strings.Contains(said.Info.Notes, words) {
			t.Errorf("the notes do not say %q: %s", words, said.Info.Notes)
		}
	}
	leadsTo(t, namespace, 3)
	helm(t, namespace, "smallest", "door.enabled=true", "door.autoscaling.type=hpa", "config.door.open=true")
	leadsTo(t, namespace, 3)
}

// leadsTo waits until the Service of the door leads to so many pods, at the port where they listen.
func leadsTo(t *testing.T, namespace string, wanted int) {
	t.Helper()
	options := metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=argosy-door"}
	wait(t, "those who answer for the door", func() error {
		slices, err := cluster.Client.DiscoveryV1().EndpointSlices(namespace).List(ctx, options)
		if err != nil {
			return err
		}
		ready := 0
		for _, slice := range slices.Items {
			if len(slice.Ports) != 1 || *slice.Ports[0].Port != 8080 {
				return fmt.Errorf("the ports are %+v", slice.Ports)
			}
			for _, endpoint := range slice.Endpoints {
				if endpoint.Conditions.Ready != nil && *endpoint.Conditions.Ready {
					ready++
				}
			}
		}
		if found := len(pods(t, namespace, "door")); ready != wanted || found != wanted {
			return fmt.Errorf("%d of %d pods are ready", ready, found)
		}
		return nil
	})
}

func TestADoorWithoutItsKeysIsRefused(t *testing.T) {
	t.Parallel()
	_, err := try(t, namespace(t), "smallest", "door.enabled=true", "door.keys.existingSecret.name="+render.Release+"-keys")
	for _, words := range []string{"door.keys.existingSecret.name:", "has no Secret argosy-keys", "--from-file=keys.json"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the message does not say %q: %v", words, err)
		}
	}
}
