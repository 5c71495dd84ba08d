package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"argosy/tests/chart/tools"
)

// What `argosy setup` makes, and roles wait for.
const (
	steps     = "ARGOSY_STEPS_0"
	documents = "ARGOSY_DOCUMENTS"
)

// headless is the name that all servers answer to, as testdata/hosts says.
const headless = "nats-headless.nats.svc.cluster.local"

const natsPassword = "password-of-the-fleet"

// servers are three nats-servers with deploy/nats/cluster.conf, on 127.0.0.1, .2 and .3: there each has the usual
// ports, as pods have.
type servers struct {
	processes []*process
	// js speaks with the last server, which no test freezes.
	js jetstream.JetStream
	nc *nats.Conn
}

func startServers(t testing.TB, crew *processes) *servers {
	t.Helper()
	found, err := net.LookupHost(headless)
	if err != nil || len(found) != 3 {
		t.Fatalf("%s is at %v, %v: start this with tests/cluster/run", headless, found, err)
	}
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	conf, err := os.ReadFile(filepath.Join(root, "deploy/nats/cluster.conf"))
	if err != nil {
		t.Fatal(err)
	}
	const there = "store_dir: /data\n"
	if strings.Count(string(conf), there) != 1 {
		t.Fatalf("cluster.conf does not say once %q", there)
	}
	made := &servers{}
	for n := range 3 {
		name, address := serverName(n), serverAddress(n)
		here := fmt.Sprintf("store_dir: %q\n", filepath.Join(crew.folder, name))
		path := filepath.Join(crew.folder, name+".conf")
		if err := os.WriteFile(path, []byte(strings.Replace(string(conf), there, here, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		env := []string{
			"NATS_NAME=" + name, "NATS_PASSWORD=\"" + natsPassword + "\"", "NATS_CLUSTER_PASSWORD=\"among-servers\"",
			"NATS_ROUTES=[" + strings.Join(routes(), ",") + "]",
		}
		made.processes = append(made.processes, crew.start(t, name, env, os.Getenv("ARGOSY_NATS_SERVER"),
			"--config", path, "--addr", address, "--cluster", "nats://"+address+":6222"))
	}
	within(t, 30*time.Second, "three servers with a leader", made.healthy)
	made.connect(t)
	return made
}

func serverName(n int) string    { return fmt.Sprintf("nats-%d", n) }
func serverAddress(n int) string { return fmt.Sprintf("127.0.0.%d", n+1) }

func routes() []string {
	var all []string
	for n := range 3 {
		all = append(all, "nats-route://cluster:among-servers@"+serverAddress(n)+":6222")
	}
	return all
}

// natsURLs are what the fleet connects to, with its password.
func natsURLs() string {
	var all []string
	for n := range 3 {
		all = append(all, fmt.Sprintf("nats://argosy:%s@%s.%s:4222", natsPassword, serverName(n), headless))
	}
	return strings.Join(all, ",")
}

func (s *servers) healthy() error {
	client := http.Client{Timeout: 2 * time.Second}
	for n, process := range s.processes {
		if err := process.runs(); err != nil {
			return err
		}
		answer, err := client.Get("http://" + serverAddress(n) + ":8222/healthz")
		if err != nil {
			return err
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s says %s", process.name, answer.Status)
		}
	}
	return nil
}

func (s *servers) connect(t testing.TB) {
	t.Helper()
	nc, err := nats.Connect(serverAddress(2)+":4222", nats.UserInfo("argosy", natsPassword),
		nats.IgnoreDiscoveredServers(), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(3*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	s.nc, s.js = nc, js
}

// lag is what waits for a consumer and what its workers hold, as its leader says.
type lag struct{ pending, held int }

func (l lag) total() int { return l.pending + l.held }

func (s *servers) lag(stream, consumer string) (lag, error) {
	info, err := s.info(stream, consumer)
	if err != nil {
		return lag{}, err
	}
	return lag{int(info.NumPending), info.NumAckPending}, nil
}

func (s *servers) info(stream, consumer string) (*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	found, err := s.js.Consumer(ctx, stream, consumer)
	if err != nil {
		return nil, err
	}
	return found.CachedInfo(), nil
}

// lead makes a server the leader of a consumer.
func (s *servers) lead(t testing.TB, n int, stream, consumer string) {
	t.Helper()
	request := fmt.Sprintf(`{"placement": {"preferred": %q}}`, serverName(n))
	within(t, 30*time.Second, serverName(n)+" leads "+consumer, func() error {
		info, err := s.info(stream, consumer)
		if err != nil {
			return err
		}
		if info.Cluster.Leader == serverName(n) && len(info.Cluster.Replicas) == 2 &&
			!slices.ContainsFunc(info.Cluster.Replicas, func(peer *jetstream.PeerInfo) bool { return !peer.Current }) {
			return nil
		}
		subject := "$JS.API.CONSUMER.LEADER.STEPDOWN." + stream + "." + consumer
		if _, err := s.nc.Request(subject, []byte(request), 3*time.Second); err != nil {
			return err
		}
		time.Sleep(300 * time.Millisecond)
		return fmt.Errorf("the leader was %s", info.Cluster.Leader)
	})
}

// publish stores a message, such as a question.
func (s *servers) publish(t testing.TB, message *nats.Msg) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := s.js.PublishMsg(ctx, message); err != nil {
		t.Fatal(err)
	}
}

// ask publishes questions with one round of searching each: about five messages for the mappers.
func (s *servers) ask(t testing.TB, questions []string) {
	t.Helper()
	for _, question := range questions {
		text, err := json.Marshal(map[string]any{
			"question": question, "deadline": "20m", "budget": map[string]int{"rounds": 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.publish(t, &nats.Msg{Subject: "argosy.query", Data: text})
	}
}

// ended is how many questions have ended, one way or another.
func (s *servers) ended() (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	stream, err := s.js.Stream(ctx, "ARGOSY_ANSWERS")
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("argosy.answer.*"))
	if err != nil {
		return 0, err
	}
	return len(info.State.Subjects), nil
}

// told is what one server says of a consumer on its monitoring port, whether it leads or not.
func told(t testing.TB, n int, stream, consumer string) (answer lag, leader string) {
	t.Helper()
	client := http.Client{Timeout: 3 * time.Second}
	got, err := client.Get("http://" + serverAddress(n) + ":8222/jsz?acc=$G&consumers=true&config=true")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var said struct {
		Accounts []struct {
			Streams []struct {
				Name      string
				Consumers []struct {
					Name    string
					Pending int `json:"num_pending"`
					Held    int `json:"num_ack_pending"`
					Cluster struct{ Leader string }
				} `json:"consumer_detail"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if err := json.NewDecoder(got.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	for _, account := range said.Accounts {
		for _, one := range account.Streams {
			for _, found := range one.Consumers {
				if one.Name == stream && found.Name == consumer {
					return lag{found.Pending, found.Held}, found.Cluster.Leader
				}
			}
		}
	}
	t.Fatalf("%s knows no %s/%s", serverName(n), stream, consumer)
	return lag{}, ""
}
