// Package bed is a Kubernetes control plane for tests: etcd, API server, controllers and scheduler for real, and kwok in
// place of the kubelets. Objects, claims, evictions and rollouts behave as in a cluster; no container runs.
package bed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"argosy/tests/chart/tools"
)

// Patience is how long a test waits for the control plane to do something. On two busy cores most things take a second.
const Patience = 60 * time.Second

// Bed is a running control plane with three nodes.
type Bed struct {
	// Folder holds the data, the logs and the kubeconfig.
	Folder string
	// Kubeconfig is a file for programs, and Config the same for clients in this process.
	Kubeconfig string
	Config     *rest.Config
	Client     kubernetes.Interface
	Dynamic    dynamic.Interface

	parts []*part
}

// Start starts the control plane in a folder, which must be empty, and waits until three nodes are ready. Whoever starts one
// stops it.
func Start(folder string) (*Bed, error) {
	if err := alone(); err != nil {
		return nil, err
	}
	bed := &Bed{Folder: folder, Kubeconfig: filepath.Join(folder, "kubeconfig")}
	if err := bed.start(); err != nil {
		bed.Stop()
		return nil, err
	}
	return bed, nil
}

// Stop ends all that was started.
func (bed *Bed) Stop() {
	for n := len(bed.parts) - 1; n >= 0; n-- {
		bed.parts[n].stop()
	}
	bed.parts = nil
}

func (bed *Bed) start() error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	if err := writeCertificates(bed.Folder); err != nil {
		return err
	}
	if err := bed.connect(ports[0]); err != nil {
		return err
	}
	client, peer := local(ports[1]), local(ports[2])
	if err := bed.run("etcd", etcdFlags(bed.Folder, client, peer)...); err != nil {
		return err
	}
	if err := bed.run("apiserver", apiserverFlags(bed.Folder, client, ports[0])...); err != nil {
		return err
	}
	if err := bed.Wait("the API server", bed.answers); err != nil {
		return err
	}
	if err := bed.run("controller-manager", controllerFlags(bed.Folder)...); err != nil {
		return err
	}
	if err := bed.run("scheduler", schedulerFlags(bed.Folder)...); err != nil {
		return err
	}
	return bed.startNodes()
}

func (bed *Bed) answers() error {
	return bed.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(context.Background()).Error()
}

// Wait asks again and again until there is no error. It gives up with the last one after Patience, or at once when a part of
// the control plane has ended.
func (bed *Bed) Wait(what string, ask func() error) error {
	deadline := time.Now().Add(Patience)
	for {
		err := ask()
		if err == nil {
			return nil
		}
		for _, part := range bed.parts {
			if ended := part.ended(); ended != nil {
				return fmt.Errorf("waiting for %s: %w", what, ended)
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: not within %s: %w", what, Patience, err)
		}
		time.Sleep(25 * time.Millisecond)
	}
}

// Helm runs helm against the control plane and hands out what it printed.
func (bed *Bed) Helm(args ...string) (string, error) {
	return bed.tool("helm", args...)
}

// Kubectl runs kubectl against the control plane and hands out what it printed.
func (bed *Bed) Kubectl(args ...string) (string, error) {
	return bed.tool("kubectl", args...)
}

func (bed *Bed) tool(name string, args ...string) (string, error) {
	program, err := tools.Path(name)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*Patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	// Everything that helm and kubectl keep stays in the folder.
	command.Env = append(os.Environ(), "KUBECONFIG="+bed.Kubeconfig, "HOME="+bed.Folder)
	var out, wrong bytes.Buffer
	command.Stdout, command.Stderr = &out, &wrong
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s%s", name, strings.Join(args, " "), err, out.String(), wrong.String())
	}
	return out.String(), nil
}

// alone makes sure that nothing here can be reached from outside, nor reach out.
func alone() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, one := range interfaces {
		if one.Flags&net.FlagLoopback == 0 && one.Flags&net.FlagUp != 0 {
			return fmt.Errorf("the interface %s is up: run .ci/chart, which makes a network namespace of its own", one.Name)
		}
	}
	return nil
}

func local(port int) string {
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}

// freePorts are ports that nobody listens on. In a namespace of its own nobody takes them meanwhile.
func freePorts(count int) ([]int, error) {
	var ports []int
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, errors.Join(errors.New("no loopback interface: run .ci/chart, which brings it up"), err)
		}
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
