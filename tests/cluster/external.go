package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"argosy/tests/chart/bed"
)

// fakeAdapter stands for Prometheus with its adapter: it serves `argosy_role_backlog` as the chart's README says it
// is made, the most by role of what waits and what is held, from what a gateway says now.
func fakeAdapter(t testing.TB, plane *bed.Bed, gateway string) (port int) {
	t.Helper()
	const group = "/apis/external.metrics.k8s.io/v1beta1"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET "+group, func(to http.ResponseWriter, _ *http.Request) {
		say(to, map[string]any{
			"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "external.metrics.k8s.io/v1beta1",
			"resources": []map[string]any{{
				"name": "argosy_role_backlog", "namespaced": true, "kind": "ExternalMetricValueList", "verbs": []string{"get"},
			}},
		})
	})
	routes.HandleFunc("GET "+group+"/namespaces/{namespace}/argosy_role_backlog",
		func(to http.ResponseWriter, request *http.Request) {
			role := strings.TrimPrefix(request.FormValue("labelSelector"), "role=")
			backlog, err := roleBacklog(gateway, role)
			if err != nil {
				http.Error(to, err.Error(), http.StatusInternalServerError)
				return
			}
			say(to, map[string]any{
				"kind": "ExternalMetricValueList", "apiVersion": "external.metrics.k8s.io/v1beta1",
				"items": []map[string]any{{
					"metricName": "argosy_role_backlog", "metricLabels": map[string]string{"role": role},
					"timestamp": time.Now().UTC().Format(time.RFC3339), "value": strconv.Itoa(backlog),
				}},
			})
		})
	server := &http.Server{Handler: routes, ReadHeaderTimeout: 5 * time.Second}
	t.Cleanup(func() { _ = server.Close() })
	in := func(name string) string { return filepath.Join(plane.Folder, name) }
	go func() { _ = server.ServeTLS(listener, in("apiserver.crt"), in("apiserver.key")) }()
	return listener.Addr().(*net.TCPAddr).Port
}

func say(to http.ResponseWriter, what map[string]any) {
	to.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(to).Encode(what)
}

var backlogSample = regexp.MustCompile(`^argosy_consumer_(?:ack_)?pending_messages\{.*role="(\w+)".*\} (\d+)$`)

// roleBacklog is `argosy:role_backlog` of a role, with one gateway.
func roleBacklog(gateway, role string) (int, error) {
	client := http.Client{Timeout: 2 * time.Second}
	answer, err := client.Get(gateway + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	sum, samples := 0, 0
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if found := backlogSample.FindStringSubmatch(lines.Text()); found != nil && found[1] == role {
			value, err := strconv.Atoi(found[2])
			if err != nil {
				return 0, err
			}
			sum += value
			samples++
		}
	}
	if samples != 2 {
		return 0, fmt.Errorf("the gateway has %d samples of the backlog of the %s", samples, role)
	}
	return sum, nil
}
