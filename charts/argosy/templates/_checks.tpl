{{/* What validations.yaml looks for. Each of these prints mistakes, one per line: the key, what is wrong, what to do. */}}

{{/* Keys that nothing works without. helm takes a key away where values say nothing behind it, and all below it. */}}
{{- define "argosy.emptied" -}}
{{- $paths := splitList " " (print "global global.image nats nats.existingSecret nats.logins nats.logins.existingSecret nats.tls nats.tls.existingSecret nats.monitoring "
    "model qdrant qdrant.existingSecret config defaults defaults.replicas defaults.slots defaults.drainSeconds "
    "defaults.lingerSeconds defaults.resources defaults.autoscaling defaults.autoscaling.type defaults.autoscaling.minReplicas "
    "defaults.autoscaling.maxReplicas defaults.autoscaling.messagesPerSlot defaults.autoscaling.scaleDownSeconds "
    "defaults.autoscaling.fallbackReplicas defaults.autoscaling.hpaMetric defaults.podDisruptionBudget defaults.extraEnv "
    "defaults.podDisruptionBudget.maxUnavailable roles setup setup.enabled setup.hook documents serviceAccount "
    "serviceAccount.create networkPolicy monitoring monitoring.podMonitor monitoring.podMonitor.interval "
    "monitoring.prometheusRule monitoring.dashboards devStack devStack.natsImage tests door door.keys door.keys.existingSecret "
    "door.keys.existingSecret.key door.webhooks door.webhooks.existingSecret door.webhooks.existingSecret.key "
    "door.files "
    "door.service door.service.type door.service.port door.autoscaling door.autoscaling.type "
    "door.autoscaling.minReplicas door.autoscaling.maxReplicas door.autoscaling.targetCPU door.autoscaling.scaleDownSeconds") -}}
{{- range $role := include "argosy.roles" . | splitList " " -}}
{{- $paths = append $paths (print "roles." $role) -}}
{{- end -}}
{{- range $path := $paths -}}
{{- $at := $.Values -}}
{{- $gone := "" -}}
{{- range $key := splitList "." $path -}}
{{- if not $gone -}}
{{- if hasKey $at $key }}{{ $at = get $at $key }}{{ else }}{{ $gone = $key }}{{ end -}}
{{- end -}}
{{- end -}}
{{- /* What is below a section that is gone is not told as well. */ -}}
{{- if and $gone (hasSuffix $gone $path) }}
{{ $path }}: there is nothing behind this key, which takes the chart's own value away; leave the key out, or give a value
{{- end -}}
{{- end -}}
{{- end }}

{{/* Secrets that stand in values. (dict "path" "config" "value" …) */}}
{{- define "argosy.plainSecrets" -}}
{{- $path := .path -}}
{{- if kindIs "map" .value -}}
{{- range $key, $value := .value -}}
{{- $here := printf "%s.%s" $path $key -}}
{{- if and (hasSuffix "api_key" $key) (not (empty $value)) }}
{{ $here }}: a key does not belong into values; put it into a Secret and {{ include "argosy.secretWay" $path }}
{{- else if and (eq $key "existingSecret") (not (regexMatch "^(nats|nats[.]logins|nats[.]tls|qdrant|door[.](keys|webhooks))$" $path)) (not (include "argosy.isNode" $path)) }}
{{ $here }}: nobody reads this here; {{ include "argosy.secretWay" $path }}
{{- else if and (eq $key "existingSecret") (hasPrefix "config." $path) (not (and $value.name $value.key)) }}
{{ $here }}: give the Secret's name and the key to take, as {name, key}
{{- else if and (eq $key "headers") (not (empty $value)) }}
{{ $here }}: headers are secrets; put each into a Secret and name that in extraEnv, as ARGOSY__telemetry__otlp__headers__NAME with valueFrom
{{- else }}
{{- include "argosy.plainSecrets" (dict "path" $here "value" $value) }}
{{- end -}}
{{- end -}}
{{- else if kindIs "slice" .value -}}
{{- range $n, $value := .value -}}
{{- include "argosy.plainSecrets" (dict "path" (printf "%s[%d]" $path $n) "value" $value) }}
{{- end -}}
{{- else if kindIs "string" .value -}}
{{- if regexMatch "://[^/@ ]+@" .value }}
{{ $path }}: a URL with a password ends in a ConfigMap; of NATS put the whole URL into a Secret and name that as nats.existingSecret: {name, urlKey}, or a credentials file, of others a key
{{- end -}}
{{- end -}}
{{- end }}

{{/* Whether a path is that of a node for which this chart mounts a key. */}}
{{- define "argosy.isNode" -}}
{{- regexFind "^(model|config[.]models[.].+|config[.]retrieval[.](http|reranker))[.]nodes.[0-9]+.$" . -}}
{{- end }}

{{/* How a key reaches the place where this path stands. */}}
{{- define "argosy.secretWay" -}}
{{- if include "argosy.isNode" . -}}
name that as existingSecret: {name, key}, or mount it with extraVolumes and give its path as api_key_file
{{- else if regexMatch "^qdrant|[.]qdrant$" . -}}
name that as qdrant.existingSecret: {name, key}
{{- else -}}
mount that with extraVolumes and give its path as api_key_file
{{- end -}}
{{- end }}

{{/* Options that the chart sets by itself, from values of other names. (dict "path" "config" "config" …) */}}
{{- define "argosy.ownedOptions" -}}
{{- $path := .path -}}
{{- $config := .config -}}
{{- $owned := dict "run.slots" "roles.ROLE.slots" "indexer.slots" "roles.indexer.slots" "run.grace" "drainSeconds"
    "telemetry.linger" "lingerSeconds" "nats.url" "nats.url" "nats.creds" "nats.existingSecret" "nats.nkey" "nats.logins.existingSecret"
    "nats.tls_ca" "nats.tls.existingSecret" "nats.tls_cert" "nats.tls.existingSecret" "nats.tls_key" "nats.tls.existingSecret"
    "model.model" "model.model" "model.nodes" "model.nodes" "prompts_dir" "prompts" "indexer.schemas" "schemas"
    "retrieval.qdrant.url" "qdrant.url" "door.keys" "door.keys.existingSecret"
    "door.webhooks" "door.webhooks.existingSecret" "door.files" "door.files.volume" "data_dir" "persistence, or podTemplatePatch for another volume at /data" -}}
{{- range $option, $instead := $owned -}}
{{- $at := $config -}}
{{- range splitList "." $option -}}
{{- $at = get (kindIs "map" $at | ternary $at dict) . -}}
{{- end -}}
{{- if ne (toString $at) "" }}
{{ $path }}.{{ $option }}: this chart sets this option; use {{ $instead }} of its values
{{- end -}}
{{- end -}}
{{- $listen := dig "telemetry" "listen" "[::]:9464" $config -}}
{{- if not (hasSuffix ":9464" $listen) }}
{{ $path }}.telemetry.listen: the port of probes and scrapes is 9464; give an address with it, such as 0.0.0.0:9464 on machines without IPv6, or remove it
{{- end -}}
{{- if not (hasSuffix ":8080" (dig "door" "listen" "[::]:8080" $config)) }}
{{ $path }}.door.listen: the Service leads to the port 8080; give an address with it, such as 0.0.0.0:8080 on machines without IPv6, or remove it
{{- end -}}
{{- end }}

{{/* Labels that select the pods of a role. (dict "path" "global.commonLabels" "labels" …) */}}
{{- define "argosy.takenLabels" -}}
{{- $path := .path -}}
{{- range $key, $_ := .labels -}}
{{- if regexMatch "^(app[.]kubernetes[.]io/(name|instance|component|version|managed-by)|helm[.]sh/chart)$" $key }}
{{ $path }}: the label {{ $key }} is the chart's own; use another key
{{- end -}}
{{- end -}}
{{- end }}

{{/* Environment variables that say a secret themselves. (dict "path" "roles.mapper.extraEnv" "value" …) */}}
{{- define "argosy.plainEnv" -}}
{{- $path := .path -}}
{{- range .value -}}
{{- if and .value (regexMatch "(?i)api_key$|__headers__|password|secret|token$" .name) }}
{{ $path }} ({{ .name }}): a secret does not belong into values; put it into a Secret and name that with valueFrom.secretKeyRef
{{- end -}}
{{- end -}}
{{- end }}

{{/* Every key of a secret that some pod mounts: a list of {path, name, key}. As JSON. */}}
{{- define "argosy.secretKeys" -}}
{{- $nats := .Values.nats.existingSecret -}}
{{- $keys := list (dict "path" "nats.existingSecret" "name" $nats.name "key" (default $nats.key $nats.urlKey)) -}}
{{- range $role := append (splitList " " (include "argosy.processes" .)) "operator" -}}
{{- $login := printf "%s.nk" (include "argosy.login" $role) -}}
{{- $keys = append $keys (dict "path" "nats.logins.existingSecret" "name" $.Values.nats.logins.existingSecret.name "key" $login) -}}
{{- end -}}
{{- $tls := .Values.nats.tls.existingSecret -}}
{{- range $part := list "ca" "cert" "key" -}}
{{- with get $tls $part -}}
{{- $keys = append $keys (dict "path" "nats.tls.existingSecret" "name" $tls.name "key" .) -}}
{{- end -}}
{{- end -}}
{{- if .Values.qdrant.url -}}
{{- $keys = append $keys (set (deepCopy .Values.qdrant.existingSecret) "path" "qdrant.existingSecret") -}}
{{- end -}}
{{- if .Values.door.enabled -}}
{{- $keys = append $keys (set (deepCopy .Values.door.keys.existingSecret) "path" "door.keys.existingSecret") -}}
{{- $keys = append $keys (set (deepCopy .Values.door.webhooks.existingSecret) "path" "door.webhooks.existingSecret") -}}
{{- end -}}
{{- range $list := include "argosy.nodeLists" . | fromJsonArray -}}
{{- range $n, $node := $list.nodes -}}
{{- with $node.existingSecret -}}
{{- $keys = append $keys (set (deepCopy .) "path" (printf "%s[%d].existingSecret" $list.path $n)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{ toJson $keys }}
{{- end }}

{{/* Secrets that are not there, asked of the cluster: where there is one, which `helm template` has not, and where the
account of the chart is asked for anyhow. One that `extraObjects` names comes with the release. */}}
{{- define "argosy.missingSecrets" -}}
{{- if and .Values.serviceAccount.create (lookup "v1" "ServiceAccount" .Release.Namespace "default") -}}
{{- $extra := toYaml .Values.extraObjects -}}
{{- range include "argosy.secretKeys" . | fromJsonArray -}}
{{- if and .name (not (contains .name $extra)) -}}
{{- $found := lookup "v1" "Secret" $.Release.Namespace .name -}}
{{- if not $found }}
{{ .path }}.name: the namespace {{ $.Release.Namespace }} has no Secret {{ .name }}; make it first: kubectl -n {{ $.Release.Namespace }} create secret generic {{ .name }} --from-file={{ .key }}=FILE
{{- else if not (hasKey (default dict $found.data) .key) }}
{{ .path }}: the Secret {{ .name }} has no key {{ .key }}; it has {{ keys (default dict $found.data) | sortAlpha | join ", " }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Claims that would have to change and cannot. */}}
{{- define "argosy.fixedClaims" -}}
{{- range $role := list "retriever" "conversation" -}}
{{- $settings := include "argosy.role" (dict "root" $ "role" $role) | fromYaml -}}
{{- $set := lookup "apps/v1" "StatefulSet" $.Release.Namespace (printf "%s-%s" (include "argosy.fullname" $) $role) -}}
{{- $wanted := $settings.persistence -}}
{{- if and $settings.enabled $wanted $set -}}
{{- $is := (first $set.spec.volumeClaimTemplates).spec -}}
{{- $size := dig "resources" "requests" "storage" "" $is -}}
{{- $class := dig "storageClassName" "" $is -}}
{{- $modes := join "," $is.accessModes -}}
{{- $parts := dict "size" (list (include "argosy.bytes" $size) (include "argosy.bytes" $wanted.size) $size)
    "storageClassName" (list $class (default "" $wanted.storageClassName) (default "the default class" $class))
    "accessModes" (list $modes (join "," $wanted.accessModes) $modes) -}}
{{- range $key, $part := $parts -}}
{{- if ne (index $part 0) (index $part 1) }}
roles.{{ $role }}.persistence.{{ $key }}: the claims of a StatefulSet cannot change, and these ask for {{ index $part 2 }}; set it back, or see UPGRADING.md for how to replace them
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* A size such as 20Gi in bytes. */}}
{{- define "argosy.bytes" -}}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824
    "Ti" 1099511627776 "Pi" 1125899906842624 -}}
{{- mulf (regexFind "^[0-9.]+" . | float64) (get $units (regexFind "[A-Za-z]*$" .) | float64) | int64 -}}
{{- end }}

{{/* The issuer whose tokens are logins at the door, if there is one. */}}
{{- define "argosy.issuer" -}}
{{- if .Values.door.enabled -}}
{{- dig "door" "oidc" "issuer" (dig "door" "oidc" "issuer" "" .Values.config) (default dict .Values.door.config) -}}
{{- end -}}
{{- end }}

{{/* What is wrong about the door, where there is one. */}}
{{- define "argosy.wrongDoor" -}}
{{- $door := include "argosy.role" (dict "root" . "role" "door") | fromYaml -}}
{{- $scaling := $door.autoscaling -}}
{{- if $door.enabled -}}
{{- if and $door.files.tenant (not $door.files.volume) }}
door.files.volume: say where the files of {{ $door.files.tenant }} are, such as {persistentVolumeClaim: {claimName: papers}}
{{- end -}}
{{- $isOpen := dig "door" "open" (dig "door" "open" false .Values.config) (default dict $door.config) -}}
{{- if not (or $door.keys.existingSecret.name (include "argosy.issuer" .) $isOpen) }}
door.keys.existingSecret.name: nobody would have to log in; make keys with `argosy key create NAME --keys {{ $door.keys.existingSecret.key }}`, put the file into a Secret and name it here, or name an issuer of tokens in config.door.oidc, or let everybody in with config.door.open: true
{{- end -}}
{{- if ne $scaling.type "none" -}}
{{- if hasKey .Values.door "replicas" }}
door.replicas: autoscaling.type is {{ $scaling.type }}, which decides how many there are; remove it, or set minReplicas
{{- end -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
door.autoscaling.minReplicas: it is above maxReplicas; lower it, or raise maxReplicas
{{- end -}}
{{- if not (or (dig "requests" "cpu" "" $door.resources) (dig "limits" "cpu" "" $door.resources)) }}
door.resources.requests.cpu: an HPA counts in parts of this; give it, or set door.autoscaling.type to none
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Names of alerts that no file has. */}}
{{- define "argosy.unknownAlerts" -}}
{{- $known := list -}}
{{- range $path, $_ := .Files.Glob "files/rules/*.yaml" -}}
{{- range ($.Files.Get $path | fromYaml).groups -}}
{{- range .rules -}}
{{- $known = append $known (default "" .alert) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $key, $names := dict "disabled" .Values.monitoring.prometheusRule.disabled "overrides" (default dict .Values.monitoring.prometheusRule.overrides | keys | sortAlpha) -}}
{{- range $names -}}
{{- if not (has . $known) }}
monitoring.prometheusRule.{{ $key }}: there is no alert {{ . }}; docs/runbooks has a file for each
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
