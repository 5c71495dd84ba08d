{{/* Values put together: those of a role over the defaults. */}}

{{/* `over` laid over `base`, map by map. Unlike `mergeOverwrite`, false, 0 and "" count. As YAML. */}}
{{- define "argosy.over" -}}
{{- $result := deepCopy .base -}}
{{- range $key, $value := .over -}}
{{- $before := get $result $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $before) -}}
{{- $_ := set $result $key (include "argosy.over" (dict "base" $before "over" $value) | fromYaml) -}}
{{- else -}}
{{- $_ := set $result $key $value -}}
{{- end -}}
{{- end -}}
{{ toYaml $result }}
{{- end }}

{{/* The values of a role, or of the door, which has of `defaults` what is about pods and not about steps. Its drain is the
time that a door gives to open requests; no option changes it. (dict "root" $ "role" "mapper") */}}
{{- define "argosy.role" -}}
{{- $base := .root.Values.defaults -}}
{{- $own := get .root.Values.roles .role -}}
{{- if eq .role "door" -}}
{{- $base = set (omit $base "slots" "lingerSeconds" "autoscaling" "config") "drainSeconds" 10 -}}
{{- $own = .root.Values.door -}}
{{- end -}}
{{ include "argosy.over" (dict "base" $base "over" $own) }}
{{- end }}

{{/* Which roles there are, whether they are on or not. */}}
{{- define "argosy.roles" -}}
gateway planner retriever mapper reducer validator clarifier conversation indexer
{{- end }}

{{/* What runs until it is told to stop: the roles, and the door, which takes no steps. */}}
{{- define "argosy.processes" -}}
{{ include "argosy.roles" . }} door
{{- end }}

{{/* Those that ask a model: all but these three. The validator does where one is named for it. */}}
{{- define "argosy.modelRoles" -}}
{{- $asking := list -}}
{{- range $role := include "argosy.roles" . | splitList " " -}}
{{- $asks := not (has $role (list "gateway" "retriever" "conversation")) -}}
{{- if eq $role "validator" }}{{ $asks = not (empty (dig "model_of" "validator" "" $.Values.config)) }}{{ end -}}
{{- if $asks }}{{ $asking = append $asking $role }}{{ end -}}
{{- end -}}
{{ join " " $asking }}
{{- end }}

{{/* Those that read files, by the options of `indexer`: the door those that it is sent, the job a folder. */}}
{{- define "argosy.readers" -}}
indexer door documents
{{- end }}

{{/* Those that know the schemas, which say how files of records are read. A retriever reads conditions with them. */}}
{{- define "argosy.schemaReaders" -}}
retriever {{ include "argosy.readers" . }}
{{- end }}

{{/* What a role waits for in JetStream: its stream and its consumer, as `argosy setup` makes them. (dict "root" $ "role" … "settings" …) */}}
{{- define "argosy.queue" -}}
{{- $edition := dig "indexer" "edition" "main" .root.Values.config -}}
{{- $edition = dig "config" "indexer" "edition" $edition .settings -}}
{{- if eq .role "gateway" }}{{ dict "stream" "ARGOSY_INBOX" "consumer" "gateway-inbox" | toJson }}
{{- else if eq .role "indexer" }}{{ dict "stream" "ARGOSY_DOCUMENTS" "consumer" (printf "indexer-%s" $edition) | toJson }}
{{- else }}{{ dict "stream" "ARGOSY_STEPS_0" "consumer" .role | toJson }}
{{- end }}
{{- end }}

{{/* How many pods a role may have. (the settings of the role) */}}
{{- define "argosy.most" -}}
{{ eq .autoscaling.type "none" | ternary .replicas .autoscaling.maxReplicas | int }}
{{- end }}

{{/* Roles, and the door, that may rightly have no pod: switched off, or scaled to zero on purpose. As JSON. */}}
{{- define "argosy.awayRoles" -}}
{{- $away := list -}}
{{- range $role := include "argosy.processes" . | splitList " " -}}
{{- $settings := include "argosy.role" (dict "root" $ "role" $role) | fromYaml -}}
{{- $least := eq $settings.autoscaling.type "none" | ternary $settings.replicas $settings.autoscaling.minReplicas | int -}}
{{- if or (not $settings.enabled) (eq $least 0) -}}
{{- $away = append $away $role -}}
{{- end -}}
{{- end -}}
{{ toJson $away }}
{{- end }}

{{/* What the model is asked at most, and what its nodes run at once: a line for each model, with a warning where the first
is more. A model whose nodes do not all say `admits`, or stand for several, cannot be compared. */}}
{{- define "argosy.calls" -}}
{{- $models := dig "models" dict .Values.config -}}
{{- range $name, $model := set (deepCopy $models) "" .Values.model -}}
{{- $roles := list -}}
{{- $calls := 0 -}}
{{- $inFlight := 0 -}}
{{- $admits := 0 -}}
{{- $known := not (empty $model.nodes) -}}
{{- range $model.nodes -}}
{{- $inFlight = add $inFlight (dig "max_in_flight" 64 .) | int -}}
{{- $admits = add $admits (dig "admits" 0 .) | int -}}
{{- $known = and $known (gt (int (dig "admits" 0 .)) 0) (not (dig "resolve" false .)) -}}
{{- end -}}
{{- range $role := include "argosy.modelRoles" $ | splitList " " -}}
{{- $settings := include "argosy.role" (dict "root" $ "role" $role) | fromYaml -}}
{{- $asks := or (ne $role "indexer") (not (empty $.Values.schemas)) -}}
{{- if and $settings.enabled $asks (eq $name (dig "model_of" $role "" $.Values.config)) -}}
{{- $roles = append $roles $role -}}
{{- $calls = add $calls (mul (include "argosy.most" $settings | int) (min (int $settings.slots) $inFlight)) | int -}}
{{- end -}}
{{- end -}}
{{- if and $known (gt $calls $admits) }}
WARNING: {{ join ", " $roles }} may have {{ $calls }} calls of {{ $model.model }} in flight, and its nodes run {{ $admits }} at once: the rest
waits in the nodes, where no alert and no autoscaler sees it. Lower `slots` or `autoscaling.maxReplicas` of these roles or
`max_in_flight` of the nodes, or add nodes.
{{- else if and $inFlight (not $known) }}
Up to {{ $calls }} calls of {{ $model.model }} may be in flight. What its nodes run at once is not known: set `admits` of each.
{{- end -}}
{{- end -}}
{{- end }}
