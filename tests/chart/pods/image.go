package pods

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"argosy/tests/chart/tools"
)

// imageUser is who the processes of the image are.
const imageUser = 65532

// Binary names the variable with the program that the image is made of; without it that is the repository's debug build.
const Binary = "ARGOSY_BIN"

// Image is the root of the image and what its Dockerfile says about it.
type Image struct {
	Root       string
	Entrypoint []string
	Folder     string
	User       int
	Group      int
	// Home is that of the user, which runtimes read from the image.
	Home string
}

// NewImage makes the root of the image with the script that the Dockerfile uses.
func NewImage(t testing.TB, machine *Machine) *Image {
	t.Helper()
	repository, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	image := &Image{Root: filepath.Join(machine.Folder, "image")}
	script := exec.Command(filepath.Join(repository, "deploy/image/root.sh"), debugBinary(t, repository), image.Root)
	if said, err := script.CombinedOutput(); err != nil {
		t.Fatalf("no root of the image: %v: %s", err, said)
	}
	image.read(t, filepath.Join(repository, "deploy/Dockerfile"))
	return image
}

// debugBinary is the binary that the tests of the workspace leave behind; it is built where they did not run.
func debugBinary(t testing.TB, repository string) string {
	t.Helper()
	if binary := os.Getenv(Binary); binary != "" {
		return binary
	}
	target := os.Getenv("CARGO_TARGET_DIR")
	if target == "" {
		target = filepath.Join(repository, "target")
	}
	binary := filepath.Join(target, "debug/argosy")
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	build := exec.Command("cargo", "build", "--locked", "--offline", "-p", "argosy")
	build.Dir = repository
	// Whoever interrupts the test does not want it any more.
	build.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("no %s; run `cargo build --locked -p argosy` or name one in %s: %v: %s", binary, Binary, err, said)
	}
	return binary
}

// read takes from the last stage of the Dockerfile what a runtime takes from the image.
func (image *Image) read(t testing.TB, dockerfile string) {
	t.Helper()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		t.Fatal(err)
	}
	stages := strings.Split(string(text), "\nFROM ")
	last := stages[len(stages)-1]
	word := func(instruction string) string {
		found := regexp.MustCompile(`(?m)^` + instruction + ` +(.+)$`).FindStringSubmatch(last)
		if found == nil {
			t.Fatalf("%s has no %s in its last stage", dockerfile, instruction)
		}
		return found[1]
	}
	image.Folder = word("WORKDIR")
	if err := json.Unmarshal([]byte(word("ENTRYPOINT")), &image.Entrypoint); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(word("USER"), "%d:%d", &image.User, &image.Group); err != nil {
		t.Fatalf("the user is no number, so Kubernetes cannot tell that it is not root: %v", err)
	}
	if image.User != imageUser {
		t.Fatalf("the user of the image is %d and not %d", image.User, imageUser)
	}
	image.Home = home(t, image)
}

func home(t testing.TB, image *Image) string {
	t.Helper()
	users, err := os.ReadFile(filepath.Join(image.Root, "etc/passwd"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(users)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) == 7 && fields[2] == fmt.Sprint(image.User) {
			return fields[5]
		}
	}
	t.Fatalf("the image has no name for its user %d", image.User)
	return ""
}

// Env is what a runtime puts into the environment of a container by itself.
func (image *Image) Env(hostname string) []string {
	path := "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	return []string{"PATH=" + path, "HOSTNAME=" + hostname, "HOME=" + image.Home}
}
