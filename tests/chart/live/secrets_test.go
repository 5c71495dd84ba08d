package live

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"argosy/tests/chart/render"
)

// TestAMissingSecretIsSaidBeforeAnythingIsChanged makes the secrets of a production fleet one after the other. Without the
// check its pods would wait for them for ever.
func TestAMissingSecretIsSaidBeforeAnythingIsChanged(t *testing.T) {
	t.Parallel()
	namespace := namespace(t)
	refused := func(words ...string) {
		t.Helper()
		_, err := try(t, namespace, "production")
		if err == nil {
			t.Fatal("this is installed")
		}
		for _, one := range words {
			if !strings.Contains(err.Error(), one) {
				t.Errorf("the message does not say %q: %v", one, err)
			}
		}
	}
	secret := func(name string, keys ...string) {
		t.Helper()
		made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{}}
		for _, key := range keys {
			made.StringData[key] = "secret"
		}
		if _, err := cluster.Client.CoreV1().Secrets(namespace).Create(ctx, made, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	refused("nats.existingSecret.name:", "has no Secret argosy-nats;", "create secret generic argosy-nats --from-file=nats.creds",
		"nats.tls.existingSecret.name:", "model.nodes[0].existingSecret.name:", "model.nodes[1].existingSecret.name:")
	secret("argosy-nats", "nats.creds")
	secret("argosy-nats-tls", "tls.crt", "tls.key")
	secret("vllm-keys", "gpu-a", "gpu-b")
	refused("nats.tls.existingSecret:", "the Secret argosy-nats-tls has no key ca.crt; it has tls.crt, tls.key")
	if err := cluster.Client.CoreV1().Secrets(namespace).Delete(ctx, "argosy-nats-tls", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	secret("argosy-nats-tls", "ca.crt", "tls.crt", "tls.key")

	// The storage class of production is not in every cluster.
	here := []string{"roles.retriever.persistence.storageClassName=", "roles.conversation.persistence.storageClassName="}
	said := helm(t, namespace, "production", append(here, "model.nodes[0].admits=100", "model.nodes[1].admits=100")...)
	asking := strings.Join(render.Without(render.Asking(), "validator", "indexer"), ", ")
	for _, words := range []string{"WARNING: " + asking, "run 200 at once", "max_in_flight"} {
		if !strings.Contains(said.Info.Notes, words) {
			t.Errorf("the notes do not say %q: %s", words, said.Info.Notes)
		}
	}
	calls := regexp.MustCompile(`(\d+) calls of qwen3-30b`).FindStringSubmatch(said.Info.Notes)
	if calls == nil {
		t.Fatalf("the notes count no calls: %s", said.Info.Notes)
	}
	// 6 x 16 of the planner, 14 x 32 of the mapper, 6 x 16 of the reducer, 4 x 8 of the clarifier; a role that the set
	// does not scale adds its own.
	count, _ := strconv.Atoi(calls[1])
	if isMore := asking != "planner, mapper, reducer, clarifier"; count < 672 || !isMore && count > 672 {
		t.Errorf("the notes count %d calls", count)
	}
	said = helm(t, namespace, "production", here...)
	if strings.Contains(said.Info.Notes, "WARNING") {
		t.Errorf("the notes warn though the nodes run 1024 at once: %s", said.Info.Notes)
	}
}
