{{/* The alerts and recording rules of files/rules as they are for one release. */}}

{{/* The rules of a group as they are for this release. (dict "root" $ "rules" … "away" …) As JSON. */}}
{{- define "argosy.rules" -}}
{{- $values := .root.Values.monitoring.prometheusRule -}}
{{- $rules := list -}}
{{- range .rules -}}
{{- $over := get (default dict $values.overrides) (default "" .alert) | default dict -}}
{{- $rule := set (deepCopy .) "expr" (include "argosy.expr" (dict "root" $.root "expr" .expr "away" $.away)) -}}
{{- $rule = include "argosy.over" (dict "base" $rule "over" (omit $over "severity")) | fromYaml -}}
{{- if .alert -}}
{{- with $over.severity -}}
{{- $_ := set $rule.labels "severity" . -}}
{{- end -}}
{{- $_ := set $rule.annotations "runbook_url" (printf "%s%s.md" $values.runbookBaseUrl (lower .alert)) -}}
{{- end -}}
{{- if and $rule.expr (not (has (default "" .alert) (default list $values.disabled))) -}}
{{- $rules = append $rules $rule -}}
{{- end -}}
{{- end -}}
{{ toJson $rules }}
{{- end }}

{{/* An expression without the lines that miss a role, or the door, which is rightly away, and with the names of this release where the
files say `.*argosy.*`. Empty when nothing is left. (dict "root" $ "expr" … "away" …) */}}
{{- define "argosy.expr" -}}
{{- $missing := "^ *(or )?absent\\(argosy_build_info\\{role=\"([a-z]+)\"\\}\\)( and on .*)?$" -}}
{{- $lines := list -}}
{{- range splitList "\n" .expr -}}
{{- if not (and (regexMatch $missing .) (has (regexReplaceAll $missing . "${2}") $.away)) -}}
{{- $lines = append $lines . -}}
{{- end -}}
{{- end -}}
{{- $roles := include "argosy.roles" .root | replace " " "|" -}}
{{- $names := printf "(keda-hpa-)?%s-(%s)" (include "argosy.fullname" .root) $roles -}}
{{ join "\n" $lines | trim | trimPrefix "or " | replace ".*argosy.*" $names }}
{{- end }}
