package pods

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"argosy/tests/chart/tools"
)

// Service is one of the compose file, with all keys that those of Argosy have. Another one is a failure, so that
// nothing goes untested unseen.
type Service struct {
	Command     []string          `json:"command"`
	Environment map[string]string `json:"environment"`
	Volumes     []string          `json:"volumes"`
	Tmpfs       []string          `json:"tmpfs"`
	ExtraHosts  []string          `json:"extra_hosts"`
	ReadOnly    bool              `json:"read_only"`
	CapDrop     []string          `json:"cap_drop"`
	SecurityOpt []string          `json:"security_opt"`
	StopGrace   string            `json:"stop_grace_period"`
	Profiles    []string          `json:"profiles"`
	Ports       []string          `json:"ports"`
	Healthcheck struct {
		Test        []string `json:"test"`
		Interval    string   `json:"interval"`
		Timeout     string   `json:"timeout"`
		Retries     int      `json:"retries"`
		StartPeriod string   `json:"start_period"`
	} `json:"healthcheck"`
	DependsOn map[string]struct {
		Condition string `json:"condition"`
	} `json:"depends_on"`

	// What says how the image comes about, when a process is started again, and a file of the user's own.
	Image   string `json:"image"`
	Build   any    `json:"build"`
	Restart string `json:"restart"`
	EnvFile any    `json:"env_file"`
}

// Compose is the compose file, with services from the image of Argosy alone.
type Compose struct {
	Machine  *Machine
	Image    *Image
	Services map[string]Service
	folder   string
}

// NewCompose reads the compose file with variables as a shell would have them.
func NewCompose(t testing.TB, machine *Machine, image *Image, variables map[string]string) *Compose {
	t.Helper()
	repository, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(repository, "deploy/compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// Read once as it is, as anchors are for the whole file, then each service with its own keys.
	var file struct {
		Services map[string]any `json:"services"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	compose := &Compose{Machine: machine, Image: image, Services: map[string]Service{}, folder: t.TempDir()}
	for name, raw := range file.Services {
		own, err := yaml.Marshal(interpolate(t, raw, variables))
		if err != nil {
			t.Fatal(err)
		}
		var image struct {
			Image string `json:"image"`
		}
		var service Service
		if err := yaml.Unmarshal(own, &image); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasPrefix(image.Image, "argosy:") {
			continue
		}
		if err := yaml.UnmarshalStrict(own, &service); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compose.Services[name] = service
	}
	return compose
}

var variable = regexp.MustCompile(`\$\{(\w+)(?::-([^}]*))?\}`)

// interpolate puts variables into all texts below a value.
func interpolate(t testing.TB, value any, variables map[string]string) any {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = interpolate(t, value[key], variables)
		}
	case []any:
		for n := range value {
			value[n] = interpolate(t, value[n], variables)
		}
	case string:
		replaced := variable.ReplaceAllStringFunc(value, func(found string) string {
			parts := variable.FindStringSubmatch(found)
			if set := variables[parts[1]]; set != "" {
				return set
			}
			return parts[2]
		})
		if strings.Contains(replaced, "$") {
			t.Fatalf("%q: this test knows variables as ${NAME} and ${NAME:-default} alone", value)
		}
		return replaced
	}
	return value
}

// Start starts a container of a service, with another command where one is given, as `docker compose run` does.
func (compose *Compose) Start(t testing.TB, name string, command ...string) *Container {
	t.Helper()
	service, found := compose.Services[name]
	if !found {
		t.Fatalf("there is no service %s", name)
	}
	// What every container here is.
	said := fmt.Sprint(service.ReadOnly, service.CapDrop, service.SecurityOpt)
	if said != "true [ALL] [no-new-privileges:true]" {
		t.Fatalf("%s keeps rights: read_only, cap_drop and security_opt are %s", name, said)
	}
	if len(command) == 0 {
		command = service.Command
	}
	folder := filepath.Join(compose.folder, fmt.Sprintf("%s-%d", name, compose.Machine.number()))
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	var hosts strings.Builder
	for _, host := range service.ExtraHosts {
		name, address, _ := strings.Cut(host, ":")
		fmt.Fprintln(&hosts, strings.Replace(address, "host-gateway", Gateway, 1), name)
	}
	env := compose.Image.Env(name)
	for key, value := range service.Environment {
		env = append(env, key+"="+value)
	}
	return compose.Machine.Start(t, "compose-"+name, compose.Image.Root, Spec{
		ReadOnlyRoot: true,
		Mounts:       append(compose.mounts(t, service, folder), lookups(t, folder, "options ndots:0\n", hosts.String())...),
		User:         compose.Image.User,
		Group:        compose.Image.Group,
		Folder:       compose.Image.Folder,
		Command:      append(append([]string{}, compose.Image.Entrypoint...), command...),
		Env:          env,
	})
}

// mounts makes the volumes of a service. A named one takes owner and mode from the folder of the image that it covers.
func (compose *Compose) mounts(t testing.TB, service Service, folder string) []Mount {
	t.Helper()
	var mounts []Mount
	for _, volume := range service.Volumes {
		parts := strings.Split(volume, ":")
		mount := Mount{From: parts[0], To: parts[1], ReadOnly: len(parts) > 2 && parts[2] == "ro"}
		if !strings.ContainsAny(mount.From, "./") {
			mount.From = filepath.Join(compose.folder, "volume-"+mount.From)
			covered(t, filepath.Join(compose.Image.Root, mount.To), mount.From)
		}
		mounts = append(mounts, mount)
	}
	for n, at := range service.Tmpfs {
		from := filepath.Join(folder, fmt.Sprint("tmpfs-", n))
		if err := os.Mkdir(from, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(from, 0o777|os.ModeSticky); err != nil {
			t.Fatal(err)
		}
		mounts = append(mounts, Mount{From: from, To: at})
	}
	return mounts
}

// Grace is how long a service may take to end.
func (service Service) Grace(t testing.TB) time.Duration {
	t.Helper()
	if service.StopGrace == "" {
		return 10 * time.Second
	}
	grace, err := time.ParseDuration(service.StopGrace)
	if err != nil {
		t.Fatal(err)
	}
	return grace
}

// covered makes a volume like the folder that it covers, once.
func covered(t testing.TB, like, at string) {
	t.Helper()
	about, err := os.Stat(like)
	if err != nil {
		t.Fatal(err)
	}
	owner := about.Sys().(*syscall.Stat_t)
	if err := os.Mkdir(at, 0o700); errors.Is(err, fs.ErrExist) {
		return
	} else if err := errors.Join(err, os.Chown(at, int(owner.Uid), int(owner.Gid)), os.Chmod(at, about.Mode())); err != nil {
		t.Fatal(err)
	}
}
