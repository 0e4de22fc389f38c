import { isJsonObject } from '@flotilla/json';
import { labelFaults, pathSegmentFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import {
  dnsSubdomain,
  each,
  isRequired,
  isUnset,
  listOf,
  memberAt,
  numberOf,
  presentTextWithout,
  requiredTextWithout,
  textOf,
} from './checks.ts';
import { balancerHostErrors, hostFaults } from './host-faults.ts';
import { ipErrors, isIp } from './ip-rules.ts';
import type { Check, KindRules, StructRules } from './object-rules.ts';
import { portNameErrors, portNumberErrors } from './port-rules.ts';

const hasBackend: Check = function* (value, { path }) {
  const { rules, defaultBackend } = isJsonObject(value) ? value : {};
  if (isUnset(rules ?? undefined) && !isJsonObject(defaultBackend)) {
    yield invalid(path, rules, 'either `defaultBackend` or `rules` must be specified');
  }
};

const ruleHost: Check = function* (value, { path }) {
  const host = textOf(value);
  if (host === '') return;
  if (isIp(host)) yield invalid(path, host, 'must be a DNS name, not an IP address');
  for (const fault of hostFaults(host)) yield invalid(path, host, fault);
};

const ingressPath: Check = function* (value, position) {
  const { path: given, pathType } = isJsonObject(value) ? value : {};
  const path = textOf(given);
  const at = childPath(position.path, 'path');
  if (pathType === undefined || pathType === null) {
    yield required(childPath(position.path, 'pathType'), 'pathType must be specified');
    return;
  }
  if (pathType === 'Exact' || pathType === 'Prefix') {
    if (!path.startsWith('/')) yield invalid(at, path, 'must be an absolute path');
    for (const part of ['//', '/./', '/../', '%2f', '%2F']) {
      if (path.includes(part)) yield invalid(at, path, `must not contain '${part}'`);
    }
    for (const end of ['/..', '/.']) if (path.endsWith(end)) yield invalid(at, path, `cannot end with '${end}'`);
  } else if (pathType === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) yield invalid(at, path, 'must be an absolute path');
  } else {
    const allowed = ['Exact', 'ImplementationSpecific', 'Prefix'];
    yield notSupported(childPath(position.path, 'pathType'), pathType, allowed);
  }
};

const backend: Check = function* (value, position) {
  const { resource, service } = isJsonObject(value) ? value : {};
  const [hasResource, hasService] = [isJsonObject(resource), isJsonObject(service)];
  if (hasResource && hasService) yield invalid(position.path, '', 'cannot set both resource and service backends');
  else if (hasService) yield* serviceBackend(value, position);
  else if (!hasResource) yield invalid(position.path, '', 'resource or service backend is required');
};

const serviceBackend: Check = function* (value, position) {
  const at = childPath(position.path, 'service');
  yield* requiredTextWithout(labelFaults)(memberAt(value, ['service', 'name']), {
    ...position,
    path: childPath(at, 'name'),
  });
  const name = textOf(memberAt(value, ['service', 'port', 'name']));
  const number = memberAt(value, ['service', 'port', 'number']);
  const hasNumber = numberOf(number) !== 0;
  if (name !== '' && hasNumber) yield invalid(position.path, '', 'cannot set both port name & port number');
  else if (name !== '') yield* portNameErrors(`${at}.port.name`, name);
  else if (hasNumber) yield* portNumberErrors(`${at}.port.number`, numberOf(number));
  else yield required(position.path, 'port name or number is required');
};

/** Checks the object that a backend refers to. Skipped if the backend also refers to a service. */
const resourceBackend: Check = function* (value, position) {
  if (!isJsonObject(value) || isJsonObject(position.parent.service)) return;
  yield* presentTextWithout(subdomainFaults)(value.apiGroup, {
    ...position,
    path: childPath(position.path, 'apiGroup'),
  });
  for (const member of ['kind', 'name']) {
    yield* requiredTextWithout(pathSegmentFaults)(value[member], {
      ...position,
      path: childPath(position.path, member),
    });
  }
};

const classAnnotation = 'kubernetes.io/ingress.class';

/** Requires that a new ingress names only one class. Later changes are not checked. */
const oneClass: Check = function* (object, { old }) {
  if (old !== undefined) return;
  const annotation = memberAt(object, ['metadata', 'annotations', classAnnotation]);
  const name = memberAt(object, ['spec', 'ingressClassName']);
  if (annotation !== undefined && name !== undefined && annotation !== name) {
    const detail = 'must match `ingressClassName` when both are specified';
    yield invalid(`annotations.${classAnnotation}`, annotation, detail);
  }
};

const balancerStatus: Check = function* (object, { old }) {
  const ingress = ['status', 'loadBalancer', 'ingress'];
  const stored = new Set(listOf(memberAt(old, ingress)).map((item) => memberAt(item, ['ip'])));
  for (const [index, item] of listOf(memberAt(object, ingress)).entries()) {
    const at = indexPath(ingress.join('.'), index);
    const [ip, hostname] = [textOf(memberAt(item, ['ip'])), textOf(memberAt(item, ['hostname']))];
    if (ip !== '' && !stored.has(ip)) yield* ipErrors(childPath(at, 'ip'), ip);
    yield* balancerHostErrors(childPath(at, 'hostname'), hostname);
  }
};

/** The rules of ingresses. */
export const ingressRules: Readonly<Record<string, StructRules>> = {
  'networking.Ingress': { after: [oneClass] },
  'networking.IngressSpec': {
    whole: [hasBackend],
    members: { defaultBackend: [], rules: [], tls: [], ingressClassName: [presentTextWithout(subdomainFaults)] },
  },
  'networking.IngressRule': { members: { host: [ruleHost] } },
  'networking.HTTPIngressRuleValue': { members: { paths: [isRequired()] } },
  'networking.HTTPIngressPath': { whole: [ingressPath] },
  'networking.IngressBackend': { whole: [backend], members: { resource: [resourceBackend] } },
  'networking.IngressTLS': { members: { hosts: [each(presentTextWithout(hostFaults))], secretName: [dnsSubdomain] } },
};

export const ingressKinds: Readonly<Record<string, KindRules>> = {
  'networking.Ingress': { update: ['structs'], status: [balancerStatus] },
};
