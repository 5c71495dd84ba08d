package pods

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"argosy/tests/chart/render"
)

// The server that the chart brings along for a trial runs as every pod does, and its fleet finds it by its name.
func TestServerOfDevStack(t *testing.T) {
	t.Parallel()
	objects := render.Set(t, "dev-stack")
	server := Kubelet{Machine: machine, Image: serverImage(t), Objects: objects}
	nats := server.Start(t, pod(t, objects, "nats"))
	eventually(t, "nats-server", patience, func() error { return unless(nats.Ready(), nats) })
	if _, found := objects.Find("Service", render.Release+"-nats"); !found {
		t.Fatal("no Service has the name of the server")
	}
	machine.Name(fmt.Sprintf("%s-nats.%s.svc.cluster.local", render.Release, render.Namespace), nats.Spec.Address)

	kubelet := Kubelet{Machine: machine, Image: image(t), Objects: objects}
	setup := kubelet.Start(t, pod(t, objects, "setup"))
	if code := setup.Finish(t, patience); code != 0 {
		t.Fatalf("setup ended with %d:\n%s", code, tail(setup.Log()))
	}
	gateway := kubelet.Start(t, pod(t, objects, "gateway"))
	eventually(t, "a gateway", patience, func() error { return unless(gateway.Ready(), gateway) })
	ends(t, gateway.Container, gateway.Grace)
	if nats.Stop(nats.Grace) {
		t.Errorf("the server was killed after its grace of %s", nats.Grace)
	}
}

// serverImage is an image with nats-server alone, as its own one has no more that matters here.
func serverImage(t *testing.T) *Image {
	t.Helper()
	// What is found on the PATH may be a script that leads to the binary, which the process is in the end.
	running := NewServer(t, machine, "for.its.binary", "", false)
	binary, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(running.process.Process.Pid), "exe"))
	if err != nil {
		t.Fatal(err)
	}
	running.Kill()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "nats-server"), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	return &Image{Root: root, Entrypoint: []string{"/nats-server"}, Folder: "/", User: imageUser, Group: imageUser, Home: "/"}
}
