// Command cluster is a Kubernetes control plane in one program: its first argument says which part runs. One
// program links the libraries of all parts once.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	etcd "go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	// The metrics and log formats that the parts expect to find registered.
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

func main() {
	if len(os.Args) < 2 {
		usage()
	}
	part := os.Args[1]
	os.Args = append([]string{part}, os.Args[2:]...)
	switch part {
	case "etcd":
		etcd.Main(os.Args)
	case "apiserver":
		run(apiserver.NewAPIServerCommand())
	case "controller-manager":
		run(controllers.NewControllerManagerCommand())
	case "scheduler":
		run(scheduler.NewSchedulerCommand())
	default:
		usage()
	}
}

func run(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: cluster etcd|apiserver|controller-manager|scheduler FLAGS")
	os.Exit(2)
}
