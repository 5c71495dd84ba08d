package pods

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"argosy/tests/chart/render"
	"argosy/tests/chart/tools"
)

// The compose file's fleet as README.md says: setup, every role and the door until its health check passes, documents, a
// question in both ways, and the end.
func TestServicesOfCompose(t *testing.T) {
	t.Parallel()
	server := NewServer(t, machine, "nats", "", false)
	compose := NewCompose(t, machine, image(t), map[string]string{"DOCUMENTS": documents(t)})
	finish := func(service string, command ...string) string {
		t.Helper()
		container := compose.Start(t, service, command...)
		if code := container.Finish(t, patience); code != 0 {
			t.Fatalf("%s %q ended with %d:\n%s", service, command, code, tail(container.Log()))
		}
		return container.Log()
	}
	finish("setup")
	for name, service := range compose.Services {
		if builds := service.Build != nil; builds != (name == "setup") || service.Image != compose.Services["setup"].Image {
			t.Errorf("%s builds the image of all: %v; its own is %s", name, builds, service.Image)
		}
	}

	roles := map[string]*Container{}
	for name, service := range compose.Services {
		if service.DependsOn["setup"].Condition == "service_completed_successfully" {
			roles[name] = compose.Start(t, name)
		}
	}
	if wanted := append(render.Roles(), "door"); len(roles) != len(wanted) {
		t.Fatalf("after setup there are %q and not %q", slices.Collect(maps.Keys(roles)), wanted)
	}
	healthy := func(name string) error { return compose.check(t, name, roles[name]) }
	for name, role := range roles {
		eventually(t, name+" is healthy", patience, func() error { return healthy(name) })
		// From where Prometheus is.
		response, err := http.Get("http://" + role.Spec.Address + ":9464/metrics")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		response.Body.Close()
	}
	commands := written(t)
	stored := sequence(t, finish("argosy", commands["index"]...))
	isAnswer(t, finish("argosy", append(commands["ask"], "--min-seq", stored)...))
	for name, service := range compose.Services {
		if (len(service.Ports) > 0) != (name == "door") {
			t.Errorf("%s is published as %q", name, service.Ports)
		}
	}
	// Nobody has to log in, so this machine alone may be let in.
	if ports := compose.Services["door"].Ports; !slices.Equal(ports, []string{"127.0.0.1:8080:8080"}) {
		t.Errorf("the door is published as %q", ports)
	}
	isAnswer(t, asked(t, roles["door"], "", stored))
	isFile(t, roles["door"], "")

	server.Kill()
	for name := range roles {
		eventually(t, name+" is not healthy without NATS", patience, func() error {
			if healthy(name) == nil {
				return errors.New("it is healthy")
			}
			return nil
		})
	}
	var all sync.WaitGroup
	for name, role := range roles {
		all.Go(func() { ends(t, role, compose.Services[name].Grace(t)) })
	}
	all.Wait()
}

// check runs the health check of a service once.
func (compose *Compose) check(t *testing.T, name string, container *Container) error {
	t.Helper()
	if container.Ended() {
		t.Fatalf("%s ended with %d:\n%s", name, container.Code(), tail(container.Log()))
	}
	check := compose.Services[name].Healthcheck
	patience, err := time.ParseDuration(check.Timeout)
	if err != nil || len(check.Test) < 2 || check.Test[0] != "CMD" {
		t.Fatalf("%s: this test does not know the health check %v", name, check)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = container.Exec(ctx, check.Test[1:]...)
	return err
}

// written are the commands of the service `argosy` that README.md tells its readers, by their first words.
func written(t *testing.T) map[string][]string {
	t.Helper()
	repository, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(repository, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string][]string{}
	for _, found := range regexp.MustCompile(`(?m) run --rm argosy (\w+) (.+)$`).FindAllStringSubmatch(string(text), -1) {
		commands[found[1]] = []string{found[1], strings.Trim(found[2], `"`)}
	}
	for _, command := range []string{"index", "ask"} {
		if commands[command] == nil {
			t.Fatalf("README.md does not say how to %s with the compose file: %q", command, commands)
		}
	}
	return commands
}
