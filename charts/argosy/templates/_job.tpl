{{/* The pod of a job: `argosy` with some arguments. (dict "root" $ "role" "setup" "args" (list …) "config" NAME "settings" …)
What is not in its settings is as in `defaults`. */}}
{{- define "argosy.jobPod" -}}
metadata:
  labels:
    {{- include "argosy.labels" (dict "root" .root "role" .role) | nindent 4 }}
    {{- with .root.Values.defaults.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .root.Values.defaults.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  restartPolicy: Never
  serviceAccountName: {{ .account | default (include "argosy.serviceAccount" .root) }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .root.Values.global.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  securityContext:
    {{- include "argosy.podSecurity" . | nindent 4 }}
  containers:
    - name: argosy
      image: {{ include "argosy.image" .root | quote }}
      imagePullPolicy: {{ .root.Values.global.image.pullPolicy }}
      args: {{ toJson .args }}
      {{- with include "argosy.env" (dict "root" .root "settings" .root.Values.defaults) }}
      {{- . | nindent 6 }}
      {{- end }}
      resources:
        {{- toYaml .settings.resources | nindent 8 }}
      securityContext:
        {{- include "argosy.containerSecurity" . | nindent 8 }}
      volumeMounts:
        {{- include "argosy.mounts" . | nindent 8 }}
  volumes:
    {{- include "argosy.volumes" . | nindent 4 }}
  {{- with include "argosy.placement" .root.Values.defaults }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* argosy.toml of a job: the streams and the server, and how files are read where its role does that, or all of `config` but for
files of keys, which its pod does not have. (dict "root" $ "role" "setup" "whole" true) */}}
{{- define "argosy.jobToml" -}}
{{- $config := include "argosy.config" (dict "root" .root "keys" false) | fromYaml -}}
{{- if not .whole -}}
{{- $reads := has .role (include "argosy.readers" .root | splitList " ") -}}
{{- $config = ternary (pick $config "streams" "indexer") (pick $config "streams") $reads -}}
{{- end -}}
{{- $_ := unset (dig "retrieval" "qdrant" dict $config) "api_key_file" -}}
{{- /* An address that others reach is refused without the keys. */ -}}
{{- $_ := unset (dig "door" dict $config) "listen" -}}
{{- if and .whole .root.Values.qdrant.url -}}
{{- $qdrant := dict "retrieval" (dict "qdrant" (dict "url" .root.Values.qdrant.url)) -}}
{{- $config = include "argosy.over" (dict "base" $config "over" $qdrant) | fromYaml -}}
{{- end -}}
{{- $known := omit (include "argosy.known" (dict "root" .root "role" .role "settings" false) | fromYaml) "telemetry" -}}
{{- include "argosy.table" (dict "path" "" "table" (include "argosy.over" (dict "base" $config "over" $known) | fromYaml)) | trim }}
{{- end }}
