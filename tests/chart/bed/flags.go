package bed

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientapi "k8s.io/client-go/tools/clientcmd/api"
)

// token is who may do everything. It is known to whoever reaches the loopback interface of the namespace.
const token = "admintoken"

// connect makes the clients and the kubeconfig.
func (bed *Bed) connect(port int) error {
	host := fmt.Sprintf("https://127.0.0.1:%d", port)
	authority := filepath.Join(bed.Folder, "ca.crt")
	bed.Config = &rest.Config{
		Host: host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAFile: authority}, QPS: 500, Burst: 500,
	}
	var err error
	if bed.Client, err = kubernetes.NewForConfig(bed.Config); err != nil {
		return err
	}
	if bed.Dynamic, err = dynamic.NewForConfig(bed.Config); err != nil {
		return err
	}
	file := clientapi.NewConfig()
	file.Clusters["bed"] = &clientapi.Cluster{Server: host, CertificateAuthority: authority}
	file.AuthInfos["admin"] = &clientapi.AuthInfo{Token: token}
	file.Contexts["bed"] = &clientapi.Context{Cluster: "bed", AuthInfo: "admin"}
	file.CurrentContext = "bed"
	if err := clientcmd.WriteToFile(*file, bed.Kubeconfig); err != nil {
		return err
	}
	tokens := token + ",admin,admin,system:masters\n"
	return os.WriteFile(filepath.Join(bed.Folder, "tokens.csv"), []byte(tokens), 0o600)
}

// etcdFlags leave out what makes etcd slow and safe.
func etcdFlags(folder, client, peer string) []string {
	return []string{
		"--data-dir=" + filepath.Join(folder, "etcd"),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=default=" + peer, "--unsafe-no-fsync",
	}
}

// apiserverFlags have what an aggregated API asks for (`requestheader`), too: KEDA's adapter is one.
func apiserverFlags(folder, etcd string, port int) []string {
	in := func(name string) string { return filepath.Join(folder, name) }
	return []string{
		"--etcd-servers=" + etcd, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + in("apiserver.crt"), "--tls-private-key-file=" + in("apiserver.key"),
		"--token-auth-file=" + in("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + in("sa.pub"),
		"--service-account-signing-key-file=" + in("sa.key"), "--service-cluster-ip-range=10.96.0.0/16",
		"--client-ca-file=" + in("ca.crt"), "--requestheader-client-ca-file=" + in("ca.crt"),
		"--requestheader-allowed-names=front-proxy", "--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + in("proxy.crt"), "--proxy-client-key-file=" + in("proxy.key"),
	}
}

func controllerFlags(folder string) []string {
	return []string{
		"--kubeconfig=" + filepath.Join(folder, "kubeconfig"), "--secure-port=0", "--leader-elect=false",
		"--service-account-private-key-file=" + filepath.Join(folder, "sa.key"),
		"--root-ca-file=" + filepath.Join(folder, "ca.crt"), "--horizontal-pod-autoscaler-sync-period=2s",
		"--kube-api-qps=500", "--kube-api-burst=500",
	}
}

func schedulerFlags(folder string) []string {
	return []string{"--kubeconfig=" + filepath.Join(folder, "kubeconfig"), "--secure-port=0", "--leader-elect=false"}
}

func kwokFlags(folder string) []string {
	return []string{
		"--kubeconfig=" + filepath.Join(folder, "kubeconfig"), "--config=" + filepath.Join(folder, "stages.yaml"),
		"--manage-all-nodes=true", "--node-ip=127.0.0.1", "--cidr=10.244.0.0/16", "--node-lease-duration-seconds=40",
	}
}
