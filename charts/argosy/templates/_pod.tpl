{{/* A pod of Argosy: what all of them have, and that of a role or of the door. */}}

{{- define "argosy.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "argosy.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Names of the secrets that a process reads, each once. As JSON. */}}
{{- define "argosy.secrets" -}}
{{- $values := .root.Values -}}
{{- $names := list $values.nats.tls.existingSecret.name -}}
{{- if include "argosy.hasCreds" .root -}}
{{- $names = prepend $names $values.nats.existingSecret.name -}}
{{- end -}}
{{- $searches := has .role (list "retriever" "indexer") -}}
{{- $reads := dict "model" (has .role (include "argosy.modelRoles" .root | splitList " ")) "search" $searches -}}
{{- range include "argosy.nodeLists" .root | fromJsonArray -}}
{{- if get $reads .reader -}}
{{- range .nodes -}}
{{- with .existingSecret -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and $values.qdrant.url $searches -}}
{{- $names = append $names $values.qdrant.existingSecret.name -}}
{{- end -}}
{{- if eq .role "door" -}}
{{- $names = concat $names (list $values.door.keys.existingSecret.name $values.door.webhooks.existingSecret.name) -}}
{{- end -}}
{{ compact $names | uniq | toJson }}
{{- end }}

{{/* The login at NATS of a role, of the door or of a job, as `argosy permissions` names it. (the role) */}}
{{- define "argosy.login" -}}
{{- if eq . "documents" }}writer{{ else if has . (list "setup" "test" "operator") }}operator{{ else }}{{ . }}{{ end -}}
{{- end }}

{{/* The environment of a container. (dict "root" $ "settings" …) */}}
{{- define "argosy.env" -}}
{{- $env := list -}}
{{- with .root.Values.nats.existingSecret -}}
{{- if .urlKey -}}
{{- $env = list (dict "name" "ARGOSY__nats__url" "valueFrom" (dict "secretKeyRef" (dict "name" .name "key" .urlKey))) -}}
{{- end -}}
{{- end -}}
{{- with concat $env .settings.extraEnv -}}
env:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end }}

{{/* Where a pod may run. (the settings of a role) */}}
{{- define "argosy.placement" -}}
{{- $placement := dict -}}
{{- range $field := list "nodeSelector" "tolerations" "affinity" "priorityClassName" "runtimeClassName" -}}
{{- with get $ $field -}}
{{- $_ := set $placement $field . -}}
{{- end -}}
{{- end -}}
{{- with $placement -}}
{{ toYaml . }}
{{- end -}}
{{- end }}

{{/* Volumes of a pod with a configuration. (dict "root" $ "role" … "config" NAME "settings" …) */}}
{{- define "argosy.volumes" -}}
- name: config
  configMap: {name: {{ .config }}}
- name: tmp
  emptyDir: {}
{{- if not (dig "persistence" false .settings) }}
- name: data
  emptyDir: {}
{{- end }}
{{- range $n, $name := include "argosy.secrets" . | fromJsonArray }}
- name: secret-{{ $n }}
  secret: {secretName: {{ $name }}, defaultMode: 0440}
{{- end }}
{{- with .root.Values.nats.logins.existingSecret.name }}
- name: login
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items: [{key: {{ include "argosy.login" $.role }}.nk, path: login.nk}]
{{- end }}
{{- if and .root.Values.prompts (has .role (include "argosy.modelRoles" .root | splitList " ")) }}
- name: prompts
  configMap: {name: {{ include "argosy.fullname" .root }}-prompts}
{{- end }}
{{- if and .root.Values.schemas (has .role (include "argosy.schemaReaders" .root | splitList " ")) }}
- name: schemas
  configMap: {name: {{ include "argosy.fullname" .root }}-schemas}
{{- end }}
{{- if eq .role "door" }}
{{- with .root.Values.door.files.volume }}
- name: files
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with .settings.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "argosy.mounts" -}}
- {name: config, mountPath: /etc/argosy/argosy.toml, subPath: argosy.toml, readOnly: true}
- {name: tmp, mountPath: /tmp}
- {name: data, mountPath: /data}
{{- range $n, $name := include "argosy.secrets" . | fromJsonArray }}
- {name: secret-{{ $n }}, mountPath: /etc/argosy/secrets/{{ $name }}, readOnly: true}
{{- end }}
{{- if .root.Values.nats.logins.existingSecret.name }}
- {name: login, mountPath: /etc/argosy/login, readOnly: true}
{{- end }}
{{- if and .root.Values.prompts (has .role (include "argosy.modelRoles" .root | splitList " ")) }}
- {name: prompts, mountPath: /etc/argosy/prompts, readOnly: true}
{{- end }}
{{- if and .root.Values.schemas (has .role (include "argosy.schemaReaders" .root | splitList " ")) }}
- {name: schemas, mountPath: /etc/argosy/schemas, readOnly: true}
{{- end }}
{{- if and (eq .role "door") .root.Values.door.files.volume }}
- {name: files, mountPath: {{ list "/files" .root.Values.door.files.tenant | compact | join "/" | quote }}, readOnly: true}
{{- end }}
{{- with .settings.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What a change of rolls the pods of a role: its own configuration, not that of others. */}}
{{- define "argosy.checksum" -}}
{{- $parts := list (include "argosy.toml" .) -}}
{{- if has .role (include "argosy.modelRoles" .root | splitList " ") -}}
{{- $parts = append $parts (toYaml .root.Values.prompts) -}}
{{- end -}}
{{- if has .role (include "argosy.schemaReaders" .root | splitList " ") -}}
{{- $parts = append $parts (toYaml .root.Values.schemas) -}}
{{- end -}}
{{ join "\n" $parts | sha256sum }}
{{- end }}

{{/* The pod template of a role or of the door, before `podTemplatePatch`. No label names the version of the chart: another one alone
rolls nobody. */}}
{{- define "argosy.podTemplate" -}}
{{- $settings := .settings -}}
metadata:
  labels:
    {{- include "argosy.selector" (dict "root" .root "role" .role) | nindent 4 }}
    {{- with .root.Values.global.commonLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- with $settings.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include "argosy.checksum" . }}
    {{- with $settings.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "argosy.serviceAccount" .root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .root.Values.global.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  # Running steps may end (drainSeconds), what is left is given back, and the counts of it are scraped (lingerSeconds). A
  # door goes on before that until nobody is sent to it any more (preStopSeconds).
  terminationGracePeriodSeconds: {{ add (int $settings.preStopSeconds) $settings.drainSeconds (int $settings.lingerSeconds) 15 }}
  securityContext:
    {{- include "argosy.podSecurity" . | nindent 4 }}
  containers:
    - name: argosy
      image: {{ include "argosy.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
      args: [{{ eq .role "door" | ternary "serve" (print "run, " .role) }}, --config, /etc/argosy/argosy.toml]
      {{- with include "argosy.env" . }}
      {{- . | nindent 6 }}
      {{- end }}
      ports:
        - {name: metrics, containerPort: 9464}
        {{- if eq .role "door" }}
        - {name: http, containerPort: 8080}
        {{- end }}
      {{- with $settings.preStopSeconds }}
      lifecycle: {preStop: {sleep: {seconds: {{ . }}}}}
      {{- end }}
      # None of the three but readiness looks at NATS: a server that is away must not restart the fleet.
      startupProbe:
        httpGet: {path: /livez, port: metrics}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: {path: /livez, port: metrics}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet: {path: /readyz, port: metrics}
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml $settings.resources | nindent 8 }}
      securityContext:
        {{- include "argosy.containerSecurity" . | nindent 8 }}
      volumeMounts:
        {{- include "argosy.mounts" . | nindent 8 }}
  volumes:
    {{- include "argosy.volumes" . | nindent 4 }}
  {{- with $settings.topologySpread }}
  topologySpreadConstraints:
    {{- range $key, $spread := . }}
    - topologyKey: {{ $key }}
      maxSkew: {{ $spread.maxSkew }}
      whenUnsatisfiable: {{ $spread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "argosy.selector" (dict "root" $.root "role" $.role) | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with include "argosy.placement" $settings }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}
