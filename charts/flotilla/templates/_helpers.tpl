{{- define "flotilla.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 52 characters: Kubernetes adds the number of a pod and a hash to the name of a StatefulSet. */}}
{{- define "flotilla.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "flotilla.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change: the selector of a StatefulSet is immutable. */}}
{{- define "flotilla.selectorLabels" -}}
app.kubernetes.io/name: {{ include "flotilla.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "flotilla.labels" -}}
{{- $own := merge (fromYaml (include "flotilla.selectorLabels" .)) (dict
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")) -}}
{{- merge $own .Values.commonLabels | toYaml -}}
{{- end -}}

{{/* The metadata of an object. Takes a list: the context, the name, and optionally annotations and labels. */}}
{{- define "flotilla.metadata" -}}
{{- $context := index . 0 -}}
{{- $annotations := dict -}}
{{- if gt (len .) 2 }}{{ $annotations = index . 2 }}{{ end -}}
{{- $annotations = merge (dict) (deepCopy $annotations) $context.Values.commonAnnotations -}}
{{- $labels := fromYaml (include "flotilla.labels" $context) -}}
{{- if gt (len .) 3 }}{{ $labels = merge $labels (index . 3) }}{{ end -}}
name: {{ index . 1 }}
namespace: {{ $context.Release.Namespace }}
labels:
  {{- toYaml $labels | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "flotilla.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "flotilla.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "flotilla.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "flotilla.serviceHost" -}}
{{ include "flotilla.fullname" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- define "flotilla.externalUrl" -}}
{{- if .Values.externalUrl -}}
{{- .Values.externalUrl -}}
{{- else if .Values.ingress.enabled -}}
https://{{ .Values.ingress.host }}
{{- else if or .Values.gateway.tlsRoute.enabled .Values.gateway.httpRoute.enabled -}}
https://{{ first .Values.gateway.hostnames }}
{{- else if eq (int .Values.service.port) 443 -}}
https://{{ include "flotilla.serviceHost" . }}
{{- else -}}
https://{{ include "flotilla.serviceHost" . }}:{{ .Values.service.port }}
{{- end -}}
{{- end -}}

{{/* The host of the external URL, without the port. */}}
{{- define "flotilla.externalHost" -}}
{{- get (urlParse (include "flotilla.externalUrl" .)) "hostname" -}}
{{- end -}}

{{/* The Secret with the certificate of the server; empty if the server creates its certificate. */}}
{{- define "flotilla.tlsSecret" -}}
{{- if .Values.tls.certManager.enabled -}}
{{- .Values.tls.secretName | default (printf "%s-tls" (include "flotilla.fullname" .)) -}}
{{- else -}}
{{- .Values.tls.secretName -}}
{{- end -}}
{{- end -}}

{{/* The host that the certificate of the server contains: the Service, unless an administrator provides the certificate. */}}
{{- define "flotilla.certificateHost" -}}
{{- ternary (include "flotilla.externalHost" .) (include "flotilla.serviceHost" .) (ne (include "flotilla.tlsSecret" .) "") -}}
{{- end -}}
