{{/* Names, labels, the image. */}}

{{- define "argosy.name" -}}
{{ .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Of 39 signs: the pods of a StatefulSet have a label of 63 at most with its name (`-conversation`) and eleven signs more. */}}
{{- define "argosy.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 39 | trimSuffix "-" }}
{{- else if contains (include "argosy.name" .) .Release.Name -}}
{{ .Release.Name | trunc 39 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name (include "argosy.name" .) | trunc 39 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* What selects the pods of this release; with a role only those of it. (dict "root" $ "role" "") */}}
{{- define "argosy.selector" -}}
app.kubernetes.io/name: {{ include "argosy.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .role }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "argosy.labels" -}}
{{ include "argosy.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.global.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "argosy.image" -}}
{{- $image := .Values.global.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{- $image.repository -}}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag }}{{ end -}}
{{- end }}

{{- define "argosy.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "argosy.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}
