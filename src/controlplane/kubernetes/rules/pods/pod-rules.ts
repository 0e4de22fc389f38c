import { isJsonObject } from '@flotilla/json';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import { affinityErrors } from './affinity-rules.ts';
import { hostNetworkPortErrors } from './container-port-rules.ts';
import { containerErrors, ephemeralContainerErrors, initContainerErrors } from './container-rules.ts';
import {
  dnsConfigErrors,
  dnsPolicyErrors,
  hostAliasErrors,
  hostnameErrors,
  hostnameOverrideErrors,
} from './dns-rules.ts';
import { envFileErrors } from './env-rules.ts';
import { type PodCheck, podContext } from './pod-context.ts';
import { podLevelErrors } from './pod-resource-rules.ts';
import { hostUserErrors, podSecurityErrors } from './pod-security-rules.ts';
import { podVolumeErrors } from './pod-volume-rules.ts';
import { resourceClaimErrors } from './resource-claim-rules.ts';
import {
  deadlineErrors,
  gracePeriodErrors,
  nodeSelectorErrors,
  optionalNameErrors,
  overheadErrors,
  preemptionErrors,
  readinessGateErrors,
  restartPolicyErrors,
  runtimeClassErrors,
  schedulingGateErrors,
  tolerationErrors,
} from './scheduling-rules.ts';
import { noEphemeralContainers, templateMetadata, templateProfiles } from './template-rules.ts';
import { topologySpreadErrors } from './topology-spread-rules.ts';
import { hostProcessErrors, osErrors } from './windows-rules.ts';

/** The checks of a pod spec, in the order in which Kubernetes reports their errors. */
const podChecks: readonly PodCheck[] = [
  gracePeriodErrors,
  podVolumeErrors,
  resourceClaimErrors,
  containerErrors,
  initContainerErrors,
  ephemeralContainerErrors,
  podLevelErrors,
  hostNetworkPortErrors,
  restartPolicyErrors,
  dnsPolicyErrors,
  nodeSelectorErrors,
  podSecurityErrors,
  affinityErrors,
  dnsConfigErrors,
  readinessGateErrors,
  schedulingGateErrors,
  topologySpreadErrors,
  hostProcessErrors,
  hostUserErrors,
  hostnameOverrideErrors,
  optionalNameErrors('serviceAccountName', 'nodeName'),
  deadlineErrors,
  hostnameErrors,
  tolerationErrors,
  hostAliasErrors,
  optionalNameErrors('priorityClassName'),
  runtimeClassErrors,
  preemptionErrors,
  overheadErrors,
  osErrors,
  envFileErrors,
];

const podSpec: Check = function* (value, position) {
  const pod = podContext(isJsonObject(value) ? value : {}, position);
  for (const check of podChecks) yield* check(pod);
};

/** The rules of pod specs and pod templates, wherever they occur. */
export const podRules: Readonly<Record<string, StructRules>> = {
  'core.PodTemplateSpec': { whole: [templateMetadata], after: [templateProfiles, noEphemeralContainers] },
  'core.PodSpec': { whole: [podSpec], validatesInside: true },
};

export const podKinds: Readonly<Record<string, KindRules>> = {
  'core.PodTemplate': { update: ['structs'] },
};
