{{- define "flotilla-agent.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* At most 52 characters: Kubernetes adds two hashes to the name of a Deployment. */}}
{{- define "flotilla-agent.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "flotilla-agent.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that never change: the selector of a Deployment is immutable. */}}
{{- define "flotilla-agent.selectorLabels" -}}
app.kubernetes.io/name: {{ include "flotilla-agent.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "flotilla-agent.labels" -}}
{{- $own := merge (fromYaml (include "flotilla-agent.selectorLabels" .)) (dict
  "app.kubernetes.io/version" .Chart.AppVersion
  "app.kubernetes.io/managed-by" .Release.Service
  "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_")) -}}
{{- merge $own .Values.commonLabels | toYaml -}}
{{- end -}}

{{/* The metadata of an object. Takes a list: the context, the name, and optionally annotations. */}}
{{- define "flotilla-agent.metadata" -}}
{{- $context := index . 0 -}}
{{- $annotations := dict -}}
{{- if gt (len .) 2 }}{{ $annotations = index . 2 }}{{ end -}}
{{- $annotations = merge (dict) (deepCopy $annotations) $context.Values.commonAnnotations -}}
name: {{ index . 1 }}
namespace: {{ $context.Release.Namespace }}
labels:
  {{- include "flotilla-agent.labels" $context | nindent 2 }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "flotilla-agent.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "flotilla-agent.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "flotilla-agent.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{/* The name of the Secret with the join token; empty if the agent has an access key. */}}
{{- define "flotilla-agent.joinTokenSecret" -}}
{{- if .Values.joinToken -}}
{{ include "flotilla-agent.fullname" . }}-join
{{- else -}}
{{ .Values.joinTokenSecret }}
{{- end -}}
{{- end -}}

{{- define "flotilla-agent.serviceHost" -}}
{{ include "flotilla-agent.fullname" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- define "flotilla-agent.externalUrl" -}}
{{- if .Values.externalUrl -}}
{{- .Values.externalUrl -}}
{{- else if .Values.ingress.enabled -}}
https://{{ .Values.ingress.host }}
{{- else if eq (int .Values.service.port) 443 -}}
https://{{ include "flotilla-agent.serviceHost" . }}
{{- else -}}
https://{{ include "flotilla-agent.serviceHost" . }}:{{ .Values.service.port }}
{{- end -}}
{{- end -}}

{{/* The spec of a claim for the data of an agent. */}}
{{- define "flotilla-agent.claimSpec" -}}
{{- with .Values.persistence -}}
accessModes:
  {{- toYaml .accessModes | nindent 2 }}
{{- if not (kindIs "invalid" .storageClassName) }}
storageClassName: {{ .storageClassName | quote }}
{{- end }}
resources:
  requests:
    storage: {{ .size }}
{{- end -}}
{{- end -}}

{{/* Rejects values that are valid by themselves, but not together. The message names the value and what to do. */}}
{{- define "flotilla-agent.validate" -}}
{{- with .Values -}}
{{- $joins := or .joinToken .joinTokenSecret -}}
{{- if not (or $joins .accessKeySecret) -}}
{{- fail "joinToken: required; \"flotilla cluster add NAME --join\" prints the command with a token. An agent with an access key needs accessKeySecret instead" -}}
{{- end -}}
{{- if and (.proxy).url (.proxy).urlSecret -}}
{{- fail "proxy.url: must be empty if proxy.urlSecret is set, because the Secret contains the whole URL" -}}
{{- end -}}
{{- if and .joinToken .joinTokenSecret -}}
{{- fail "joinTokenSecret: must be empty if joinToken is set" -}}
{{- end -}}
{{- if and (not $joins) (not .cluster) -}}
{{- fail "cluster: required without a join token; the name of the Cluster object, which \"flotilla cluster add NAME --agent\" creates" -}}
{{- end -}}
{{- if and (not $joins) (not .server.url) -}}
{{- fail "server.url: required without a join token; the URL of the server, such as https://flotilla.example.com" -}}
{{- end -}}
{{- if and $joins (not .persistence.enabled) -}}
{{- fail "persistence.enabled: must be true with a join token, because the key of the agent is stored on the volume" -}}
{{- end -}}
{{- if and .builtIn (not .persistence.enabled) -}}
{{- fail "persistence.enabled: must be true if builtIn is true, because the virtual clusters are stored on the volume" -}}
{{- end -}}
{{- if and .persistence.existingClaim (not .persistence.enabled) -}}
{{- fail "persistence.existingClaim: needs persistence.enabled=true" -}}
{{- end -}}
{{- if gt (int .replicas) 1 -}}
{{- if .builtIn -}}
{{- fail "replicas: must be 1 if builtIn is true, because the virtual clusters are stored on the volume of a single agent" -}}
{{- end -}}
{{- if not .tunnel -}}
{{- fail "replicas: more than 1 needs tunnel=true, because each agent without a tunnel would replace the address of the others at the server" -}}
{{- end -}}
{{- if .persistence.existingClaim -}}
{{- fail "persistence.existingClaim: must be empty if replicas is more than 1, because each agent needs a volume of its own" -}}
{{- end -}}
{{- if and (or .externalUrl .ingress.enabled) (not .tls.secretName) -}}
{{- fail "tls.secretName: required if replicas is more than 1 and clients connect to the agents (externalUrl or ingress), because they must have the same certificate" -}}
{{- end -}}
{{- end -}}
{{- if and .readOnly .builtIn -}}
{{- fail "readOnly: must be false if builtIn is true, because the server creates virtual clusters in the agent" -}}
{{- end -}}
{{- if and .ingress.enabled (not .ingress.host) -}}
{{- fail "ingress.host: required if ingress.enabled is true" -}}
{{- end -}}
{{- end -}}
{{- end -}}
