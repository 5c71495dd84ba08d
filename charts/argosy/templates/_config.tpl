{{/* argosy.toml of one process, from `config` and what Kubernetes knows. */}}

{{/* A value as TOML writes it within a line. JSON is TOML but for tables. */}}
{{- define "argosy.inline" -}}
{{- if kindIs "map" . -}}
{{- $pairs := list -}}
{{- range $key, $value := . -}}
{{- $pairs = append $pairs (printf "%s = %s" (include "argosy.key" $key) (include "argosy.inline" $value)) -}}
{{- end -}}
{ {{ join ", " $pairs }} }
{{- else if kindIs "slice" . -}}
{{- $items := list -}}
{{- range . -}}
{{- $items = append $items (include "argosy.inline" .) -}}
{{- end -}}
[{{ join ", " $items }}]
{{- else -}}
{{ toJson . }}
{{- end -}}
{{- end }}

{{- define "argosy.key" -}}
{{- if regexMatch "^[A-Za-z0-9_-]+$" . }}{{ . }}{{ else }}{{ toJson . }}{{ end -}}
{{- end }}

{{/* A table with its tables behind it. (dict "path" "model" "table" $map) */}}
{{- define "argosy.table" -}}
{{- $path := .path -}}
{{- if $path }}
[{{ $path }}]
{{- end }}
{{- range $key, $value := .table }}
{{- if not (kindIs "map" $value) }}
{{ include "argosy.key" $key }} = {{ include "argosy.inline" $value }}
{{- end }}
{{- end }}
{{- range $key, $value := .table }}
{{- if kindIs "map" $value }}
{{ include "argosy.table" (dict "path" (printf "%s%s" (empty $path | ternary "" (print $path ".")) (include "argosy.key" $key)) "table" $value) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where a key of a secret is mounted. */}}
{{- define "argosy.secretPath" -}}
/etc/argosy/secrets/{{ .name }}/{{ .key }}
{{- end }}

{{/* A list of nodes with the file of each one's key in place of the secret that holds it, or without `keys`
without any.
(dict "nodes" … "keys" true) As JSON. */}}
{{- define "argosy.nodes" -}}
{{- $nodes := list -}}
{{- range .nodes -}}
{{- $node := omit . "existingSecret" -}}
{{- if not $.keys -}}
{{- $node = omit $node "api_key_file" -}}
{{- end -}}
{{- if and .existingSecret $.keys -}}
{{- $node = set $node "api_key_file" (include "argosy.secretPath" .existingSecret) -}}
{{- end -}}
{{- $nodes = append $nodes $node -}}
{{- end -}}
{{ toJson $nodes }}
{{- end }}

{{/* All lists of nodes: where each stands, and who reads it (model or search). As JSON. */}}
{{- define "argosy.nodeLists" -}}
{{- $lists := list (dict "path" "model.nodes" "reader" "model" "nodes" .Values.model.nodes) -}}
{{- range $name, $model := dig "models" dict .Values.config -}}
{{- $lists = append $lists (dict "path" (printf "config.models.%s.nodes" $name) "reader" "model" "nodes" $model.nodes) -}}
{{- end -}}
{{- range $part := list "http" "reranker" -}}
{{- $nodes := dig "retrieval" $part "nodes" list $.Values.config -}}
{{- $lists = append $lists (dict "path" (printf "config.retrieval.%s.nodes" $part) "reader" "search" "nodes" $nodes) -}}
{{- end -}}
{{ toJson $lists }}
{{- end }}

{{/* `config` with the files of keys in place of the secrets that nodes name. (dict "root" $ "keys" true) As YAML. */}}
{{- define "argosy.config" -}}
{{- $config := deepCopy .root.Values.config -}}
{{- $retrieval := dig "retrieval" dict $config -}}
{{- range concat (values (dig "models" dict $config)) (values (pick $retrieval "http" "reranker")) -}}
{{- if .nodes -}}
{{- $_ := set . "nodes" (include "argosy.nodes" (dict "nodes" .nodes "keys" $.keys) | fromJsonArray) -}}
{{- end -}}
{{- end -}}
{{ toYaml $config }}
{{- end }}

{{/* What this chart knows better than `config`, for one process. (dict "root" $ "role" … "settings" …) As YAML. */}}
{{- define "argosy.known" -}}
{{- $values := .root.Values -}}
{{- $known := dict "data_dir" "/data" -}}
{{- $nats := dict -}}
{{- with include "argosy.natsUrl" .root -}}
{{- $_ := set $nats "url" . -}}
{{- end -}}
{{- if include "argosy.hasCreds" .root -}}
{{- $_ := set $nats "creds" (include "argosy.secretPath" $values.nats.existingSecret) -}}
{{- end -}}
{{- if $values.nats.logins.existingSecret.name -}}
{{- $_ := set $nats "nkey" "/etc/argosy/login/login.nk" -}}
{{- end -}}
{{- with $values.nats.tls.existingSecret -}}
{{- if .name -}}
{{- $secret := . -}}
{{- range $option, $key := dict "tls_ca" .ca "tls_cert" .cert "tls_key" .key -}}
{{- if $key -}}
{{- $_ := set $nats $option (include "argosy.secretPath" (dict "name" $secret.name "key" $key)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- with $nats -}}
{{- $_ := set $known "nats" . -}}
{{- end -}}
{{- /* Of these two the chart has a default alone. `[::]` hears IPv4 as well. */ -}}
{{- $telemetry := dict -}}
{{- range $option, $default := dict "listen" "[::]:9464" "log_format" "json" -}}
{{- $_ := set $telemetry $option (dig "telemetry" $option $default $values.config) -}}
{{- end -}}
{{- $takesSteps := and .settings (ne .role "door") -}}
{{- if $takesSteps -}}
{{- $_ := set $telemetry "linger" (printf "%ds" (int .settings.lingerSeconds)) -}}
{{- end -}}
{{- $_ := set $known "telemetry" $telemetry -}}
{{- if $takesSteps -}}
{{- $run := dict "grace" (printf "%ds" (int .settings.drainSeconds)) -}}
{{- if eq .role "indexer" -}}
{{- $_ := set $known "indexer" (dict "slots" .settings.slots) -}}
{{- else -}}
{{- $_ := set $run "slots" .settings.slots -}}
{{- end -}}
{{- $_ := set $known "run" $run -}}
{{- end -}}
{{- if eq .role "door" -}}
{{- $door := dict "listen" (dig "door" "listen" "[::]:8080" $values.config) -}}
{{- if $values.door.keys.existingSecret.name -}}
{{- $_ := set $door "keys" (include "argosy.secretPath" $values.door.keys.existingSecret) -}}
{{- end -}}
{{- if $values.door.webhooks.existingSecret.name -}}
{{- $_ := set $door "webhooks" (include "argosy.secretPath" $values.door.webhooks.existingSecret) -}}
{{- end -}}
{{- if $values.door.files.volume -}}
{{- $_ := set $door "files" "/files" -}}
{{- end -}}
{{- $_ := set $known "door" $door -}}
{{- end -}}
{{- if eq .role "gateway" -}}
{{- $gateway := dict -}}
{{- if not $values.roles.conversation.enabled -}}
{{- $_ := set $gateway "conversations" false -}}
{{- end -}}
{{- if dig "model_of" "validator" "" $values.config -}}
{{- $_ := set $gateway "judged" true -}}
{{- end -}}
{{- with $gateway -}}
{{- $_ := set $known "gateway" . -}}
{{- end -}}
{{- end -}}
{{- if has .role (include "argosy.modelRoles" .root | splitList " ") -}}
{{- $model := dict "model" $values.model.model -}}
{{- with $values.model.nodes -}}
{{- $_ := set $model "nodes" (include "argosy.nodes" (dict "nodes" . "keys" true) | fromJsonArray) -}}
{{- end -}}
{{- $_ := set $known "model" $model -}}
{{- if $values.prompts -}}
{{- $_ := set $known "prompts_dir" "/etc/argosy/prompts" -}}
{{- end -}}
{{- end -}}
{{- if and $values.qdrant.url (has .role (list "retriever" "indexer")) -}}
{{- $qdrant := dict "url" $values.qdrant.url -}}
{{- with $values.qdrant.existingSecret.name -}}
{{- $_ := set $qdrant "api_key_file" (include "argosy.secretPath" $values.qdrant.existingSecret) -}}
{{- end -}}
{{- $_ := set $known "retrieval" (dict "vectors" "qdrant" "qdrant" $qdrant) -}}
{{- end -}}
{{- if and $values.schemas (has .role (include "argosy.schemaReaders" .root | splitList " ")) -}}
{{- $_ := set $known "indexer" (set (get $known "indexer" | default dict) "schemas" "/etc/argosy/schemas") -}}
{{- end -}}
{{ toYaml $known }}
{{- end }}

{{/* argosy.toml of a process: the sections that it reads, so that a change rolls nobody else. */}}
{{- define "argosy.toml" -}}
{{- $config := include "argosy.config" (dict "root" .root "keys" true) | fromYaml -}}
{{- $batch := dig "mapper" "batch" nil $config -}}
{{- range (include "argosy.processes" .root | splitList " ") -}}
{{- $reads := and (eq . "indexer") (has $.role (include "argosy.readers" $.root | splitList " ")) -}}
{{- if not (or (eq . $.role) $reads) -}}
{{- $config = omit $config . -}}
{{- end -}}
{{- end -}}
{{- if and (eq .role "retriever") $batch -}}
{{- $config = set $config "mapper" (dict "batch" $batch) -}}
{{- end -}}
{{- if eq .role "door" -}}
{{- $config = omit $config "run" -}}
{{- end -}}
{{- if not (has .role (include "argosy.modelRoles" .root | splitList " ")) -}}
{{- $config = omit $config "model" "models" "model_of" -}}
{{- end -}}
{{- if not (has .role (list "retriever" "indexer")) -}}
{{- $config = omit $config "retrieval" "editions" "snapshots" -}}
{{- end -}}
{{- $config = include "argosy.over" (dict "base" $config "over" (include "argosy.known" . | fromYaml)) | fromYaml -}}
{{- with .settings -}}
{{- $config = include "argosy.over" (dict "base" $config "over" .config) | fromYaml -}}
{{- end -}}
{{ include "argosy.table" (dict "path" "" "table" $config) | trim }}
{{- end }}

{{/* Whether there is a credentials file: a secret of NATS holds that, or with `urlKey` a URL. */}}
{{- define "argosy.hasCreds" -}}
{{- with .Values.nats.existingSecret -}}
{{- if and .name (not .urlKey) }}yes{{ end -}}
{{- end -}}
{{- end }}

{{- define "argosy.natsUrl" -}}
{{- if .Values.devStack.nats -}}
nats://{{ include "argosy.fullname" . }}-nats:4222
{{- else -}}
{{ .Values.nats.url }}
{{- end -}}
{{- end }}
