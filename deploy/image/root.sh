#!/usr/bin/env bash
# Makes the root of the image from root.txt: root.sh BINARY ROOT. It needs ldd, strip, and root's rights for the owners.
set -euo pipefail

fail() {
    echo "root.sh: $*" >&2
    exit 1
}

[ $# -eq 2 ] || fail "usage: root.sh BINARY ROOT"
binary=$1
root=$2
list=$(dirname "$0")/root.txt
[ -f "$binary" ] || fail "no file $binary"
if [ -e "$root" ] && [ -n "$(ls -A "$root")" ]; then
    fail "$root is not empty"
fi
# What is made is for all to read, whatever the umask of the caller.
umask 022
mkdir -p "$root"

# Gives what was made its mode and, where that is allowed, its owner.
settle() { # PATH MODE OWNER
    if [ "$(id -u)" -eq 0 ]; then
        chown "$3:$3" "$root$1"
    elif [ "$3" -ne 0 ]; then
        echo "root.sh: only root can give $1 to $3; it is yours" >&2
    fi
    chmod "$2" "$root$1"
}

# Prints the pattern of the list that a library matches.
pattern_of() { # NAME
    local pattern
    for pattern in $libraries; do
        # shellcheck disable=SC2254  # the list holds patterns
        case $1 in
        $pattern)
            echo "$pattern"
            return
            ;;
        esac
    done
    return 1
}

set -f # the patterns of the list are not names of files here
libraries=$(awk '$1 == "library" { print $2 }' "$list")

# A line of ldd is "name => path (address)" or "path (address)". What has no path, as linux-vdso, comes from the kernel.
needed=$(LC_ALL=C ldd "$binary" 2>&1) || fail "ldd $binary: $needed"
if missing=$(grep "not found" <<<"$needed"); then
    fail "$binary needs what is not here: $missing"
fi
found=""
for path in $(awk '$2 == "=>" && $3 ~ /^\// { print $3; next } $1 ~ /^\// { print $1 }' <<<"$needed"); do
    pattern=$(pattern_of "$(basename "$path")") || fail "$binary needs $path, which $list does not list"
    found="$found $pattern"
    mkdir -p "$root$(dirname "$path")"
    # -L: the file and not the link to it.
    cp -L "$path" "$root$path"
    settle "$path" 0755 0
done
for pattern in $libraries; do
    case " $found " in
    *" $pattern "*) ;;
    *) fail "$list lists $pattern, which $binary does not need" ;;
    esac
done

while read -r kind path mode owner content; do
    [ "$kind" = library ] && continue
    mkdir -p "$root$(dirname "$path")"
    case $kind in
    program) strip -o "$root$path" "$binary" ;;
    copy) cp -L "$path" "$root$path" ;;
    text) printf '%s\n' "$content" >"$root$path" ;;
    folder) mkdir "$root$path" ;;
    *) fail "$list: unknown kind $kind" ;;
    esac
    settle "$path" "$mode" "$owner"
done < <(grep -Ev '^(#|$)' "$list")
