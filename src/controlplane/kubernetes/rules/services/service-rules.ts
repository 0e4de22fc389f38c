import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  valueAt,
  writeJson,
} from '@flotilla/json';
import { labelFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { indexPath, keyPath } from '../../../../api/schema/field-path.ts';
import { validateLabels } from '../../../../api/validation/labels.ts';
import { fieldIsImmutable } from '../checks.ts';
import { endpointIpErrors, ipErrors } from '../ip-rules.ts';
import { portNameErrors, portNumberErrors, protocolErrors } from '../port-rules.ts';
import { rangeErrors } from '../range-rules.ts';
import { clusterIpErrors, clusterIpUpdateErrors } from './cluster-ip-rules.ts';
import {
  addressesOf,
  familiesOf,
  healthCheckPortOf,
  isExternallyAccessible,
  isExternalName,
  isHeadless,
  isLoadBalancer,
  needsHealthCheck,
  nodePortOf,
  portsOf,
  serviceTypes,
  specOf,
  typeOf,
} from './service-spec.ts';

const affinities = ['ClientIP', 'None'];
const trafficPolicies = ['Cluster', 'Local'];
const trafficDistributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const maxAffinitySeconds = 86_400;
const hintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
const modeAnnotation = 'service.kubernetes.io/topology-mode';
const rangesAnnotation = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

/** Returns the errors of a service. `old` is the stored service; absent for a new service. */
export function serviceErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = specOf(object);
  const before = old === undefined ? undefined : specOf(old);
  return [
    ...(before === undefined ? [] : changeErrors(spec, before)),
    ...annotationErrors(object),
    ...typeDependentErrors(spec),
    ...portsErrors(spec),
    ...selectorErrors(spec),
    ...affinityErrors(spec),
    ...clusterIpErrors(spec, before),
    ...externalIpErrors(spec, before),
    ...typeErrors(spec),
    ...nodePortErrors(spec),
    ...repeatedPortErrors(spec),
    ...sourceRangeErrors(object, old),
    ...loadBalancerErrors(spec),
    ...externalTrafficErrors(spec),
    ...healthCheckErrors(spec),
    ...internalTrafficErrors(spec),
    ...trafficDistributionErrors(spec),
  ];
}

function changeErrors(spec: JsonObject, old: JsonObject): FieldError[] {
  const path = 'spec.loadBalancerClass';
  const [next, before] = [valueAt(spec, 'loadBalancerClass'), valueAt(old, 'loadBalancerClass')];
  const isClassChanged = isLoadBalancer(spec) && isLoadBalancer(old) && next !== before;
  const isCheckChanged =
    needsHealthCheck(spec) && needsHealthCheck(old) && healthCheckPortOf(spec) !== healthCheckPortOf(old);
  return [
    ...clusterIpUpdateErrors(spec, old),
    ...(isClassChanged ? [invalid(path, next, 'may not change once set')] : []),
    ...classErrors(spec),
    ...(isCheckChanged ? [forbiddenField('spec.healthCheckNodePort', fieldIsImmutable)] : []),
  ];
}

function annotationErrors({ metadata: { annotations = {} } }: KubeObject): FieldError[] {
  const [hints, mode] = [annotations[hintsAnnotation], annotations[modeAnnotation]];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${hintsAnnotation}] when both are specified`;
  return [invalid(keyPath('metadata.annotations', modeAnnotation), mode, detail)];
}

function typeDependentErrors(spec: JsonObject): FieldError[] {
  const type = typeOf(spec);
  const isPortRequired = portsOf(spec).length === 0 && !isHeadless(spec) && !isExternalName(spec);
  const ports = isPortRequired ? [required('spec.ports')] : [];
  if (isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort')) {
    return [...ports, invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  }
  if (!isExternalName(spec)) return ports;
  const forbidden = (member: string) => forbiddenField(`spec.${member}`, 'may not be set for ExternalName services');
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  return [
    ...ports,
    ...(addressesOf(spec).length > 0 ? [forbidden('clusterIPs')] : []),
    ...(familiesOf(spec).length > 0 ? [forbidden('ipFamilies')] : []),
    ...(valueAt(spec, 'ipFamilyPolicy') === undefined ? [] : [forbidden('ipFamilyPolicy')]),
    ...(name === '' ? [required('spec.externalName')] : []),
    ...(name === '' ? [] : subdomainFaults(name).map((fault) => invalid('spec.externalName', name, fault))),
  ];
}

function portsErrors(spec: JsonObject): FieldError[] {
  const ports = portsOf(spec);
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = indexPath('spec.ports', index);
    const name = textAt(port, 'name');
    const isRepeated = names.has(name);
    names.add(name);
    const inName =
      name === ''
        ? ports.length > 1
          ? [required(`${path}.name`)]
          : []
        : [
            ...labelFaults(name).map((fault) => invalid(`${path}.name`, name, fault)),
            ...(isRepeated ? [duplicate(`${path}.name`, name)] : []),
          ];
    return [...inName, ...portErrors(port, path)];
  });
}

function portErrors(port: JsonObject, path: string): FieldError[] {
  const target = valueAt(port, 'targetPort') ?? 0;
  const appProtocol = valueAt(port, 'appProtocol');
  return [
    ...portNumberErrors(`${path}.port`, numberAt(port, 'port') ?? 0),
    ...protocolErrors(`${path}.protocol`, textAt(port, 'protocol')),
    ...(typeof target === 'string'
      ? portNameErrors(`${path}.targetPort`, target)
      : portNumberErrors(`${path}.targetPort`, Number(target))),
    ...(typeof appProtocol === 'string'
      ? qualifiedNameFaults(appProtocol).map((fault) => invalid(`${path}.appProtocol`, appProtocol, fault))
      : []),
  ];
}

function selectorErrors(spec: JsonObject): FieldError[] {
  const { selector } = spec;
  if (!isJsonObject(selector)) return [];
  return validateLabels(selector as Readonly<Record<string, string>>, 'spec.selector');
}

function affinityErrors(spec: JsonObject): FieldError[] {
  const affinity = textAt(spec, 'sessionAffinity');
  const path = 'spec.sessionAffinityConfig';
  if (affinity === '') return [required('spec.sessionAffinity')];
  if (!affinities.includes(affinity)) return [notSupported('spec.sessionAffinity', affinity, affinities)];
  const config = objectAt(spec, 'sessionAffinityConfig');
  if (affinity === 'None') {
    return config === undefined ? [] : [forbiddenField(path, 'must not be set when session affinity is None')];
  }
  const detail = 'when session affinity type is ClientIP';
  if (config === undefined) return [required(path, detail)];
  const seconds = numberAt(config, 'clientIP', 'timeoutSeconds');
  if (objectAt(config, 'clientIP') === undefined) return [required(`${path}.clientIP`, detail)];
  if (seconds === undefined) return [required(`${path}.clientIP.timeoutSeconds`, detail)];
  if (seconds > 0 && seconds <= maxAffinitySeconds) return [];
  const limits = `must be greater than 0 and less than ${maxAffinitySeconds}`;
  return [invalid(`${path}.clientIP.timeoutSeconds`, seconds, limits)];
}

function externalIpErrors(spec: JsonObject, old: JsonObject | undefined): FieldError[] {
  const stored = new Set(old === undefined ? [] : textsAt(old, 'externalIPs'));
  return textsAt(spec, 'externalIPs').flatMap((ip, index) => {
    const path = indexPath('spec.externalIPs', index);
    const errors = stored.has(ip) ? [] : ipErrors(path, ip);
    return errors.length > 0 ? errors : endpointIpErrors(path, ip);
  });
}

function typeErrors(spec: JsonObject): FieldError[] {
  const type = typeOf(spec);
  if (type === '') return [required('spec.type')];
  return serviceTypes.includes(type) ? [] : [notSupported('spec.type', type, serviceTypes)];
}

function nodePortErrors(spec: JsonObject): FieldError[] {
  const ports = portsOf(spec).map((port, index) => ({
    path: `${indexPath('spec.ports', index)}.nodePort`,
    number: nodePortOf(port),
    protocol: textAt(port, 'protocol'),
  }));
  const given = ports.filter(({ number }) => number !== 0);
  const seen = new Set<string>();
  const repeated = given.filter(({ number, protocol }) => {
    const key = `${number}/${protocol}`;
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
  const unused = typeOf(spec) === 'ClusterIP' ? given : [];
  return [
    ...unused.map(({ path }) => forbiddenField(path, "may not be used when `type` is 'ClusterIP'")),
    ...repeated.map(({ path, number }) => duplicate(path, number)),
  ];
}

function repeatedPortErrors(spec: JsonObject): FieldError[] {
  const seen = new Set<string>();
  return portsOf(spec).flatMap((port, index) => {
    const [number, protocol] = [numberAt(port, 'port') ?? 0, textAt(port, 'protocol')];
    const key = `${number}/${protocol}`;
    const isRepeated = seen.has(key);
    seen.add(key);
    if (!isRepeated) return [];
    // Kubernetes prints its internal struct.
    const printed: JsonObject = {
      Name: '',
      Protocol: protocol,
      AppProtocol: null,
      Port: number,
      TargetPort: 0,
      NodePort: 0,
    };
    const message = `Duplicate value: ${writeJson(printed, { sorted: false })}`;
    return [{ type: 'FieldValueDuplicate', field: indexPath('spec.ports', index), message }];
  });
}

function sourceRangeErrors(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = specOf(object);
  const ranges = textsAt(spec, 'loadBalancerSourceRanges');
  const annotation = object.metadata.annotations?.[rangesAnnotation];
  if (ranges.length === 0 && annotation === undefined) return [];
  // The field of the message starts with an upper-case letter in Kubernetes.
  const path = ranges.length > 0 ? 'spec.LoadBalancerSourceRanges' : keyPath('metadata.annotations', rangesAnnotation);
  const wrongType = isLoadBalancer(spec) ? [] : [forbiddenField(path, onlyLoadBalancer)];
  if (ranges.length === 0) {
    const isStored = old?.metadata.annotations?.[rangesAnnotation] === annotation;
    const listed = (annotation ?? '').trim() === '' || isStored ? [] : (annotation ?? '').split(',');
    return [...wrongType, ...listed.flatMap((range) => rangeErrors(path, range.trim()))];
  }
  const stored = new Set(
    old === undefined ? [] : textsAt(specOf(old), 'loadBalancerSourceRanges').map((range) => range.trim()),
  );
  return [
    ...wrongType,
    ...ranges.flatMap((given, index) => {
      const range = given.trim();
      return stored.has(range) ? [] : rangeErrors(indexPath(path, index), range);
    }),
  ];
}

function loadBalancerErrors(spec: JsonObject): FieldError[] {
  const allocates = valueAt(spec, 'allocateLoadBalancerNodePorts');
  const isForbidden = allocates !== undefined && !isLoadBalancer(spec);
  return [
    ...(isForbidden ? [forbiddenField('spec.allocateLoadBalancerNodePorts', onlyLoadBalancer)] : []),
    ...(isLoadBalancer(spec) && allocates === undefined ? [required('allocateLoadBalancerNodePorts')] : []),
    ...classErrors(spec),
  ];
}

function classErrors(spec: JsonObject): FieldError[] {
  const path = 'spec.loadBalancerClass';
  const name = valueAt(spec, 'loadBalancerClass');
  if (typeof name !== 'string') return [];
  if (!isLoadBalancer(spec)) return [forbiddenField(path, onlyLoadBalancer)];
  return qualifiedNameFaults(name).map((fault) => invalid(path, name, fault));
}

function externalTrafficErrors(spec: JsonObject): FieldError[] {
  const path = 'spec.externalTrafficPolicy';
  const policy = textAt(spec, 'externalTrafficPolicy');
  if (!isExternallyAccessible(spec)) {
    return policy === '' ? [] : [invalid(path, policy, 'may only be set for externally-accessible services')];
  }
  if (policy === '') return [required(path)];
  return trafficPolicies.includes(policy) ? [] : [notSupported(path, policy, trafficPolicies)];
}

function healthCheckErrors(spec: JsonObject): FieldError[] {
  const path = 'spec.healthCheckNodePort';
  const port = healthCheckPortOf(spec);
  if (needsHealthCheck(spec)) return port === 0 ? [required(path)] : portNumberErrors(path, port);
  if (port === 0) return [];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid(path, port, detail)];
}

function internalTrafficErrors(spec: JsonObject): FieldError[] {
  const path = 'spec.internalTrafficPolicy';
  const policy: JsonValue | undefined = valueAt(spec, 'internalTrafficPolicy');
  if (policy === undefined) {
    return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(typeOf(spec)) ? [required(path)] : [];
  }
  return trafficPolicies.includes(String(policy)) ? [] : [notSupported(path, policy, trafficPolicies)];
}

function trafficDistributionErrors(spec: JsonObject): FieldError[] {
  const distribution = valueAt(spec, 'trafficDistribution');
  if (distribution === undefined || trafficDistributions.includes(String(distribution))) return [];
  return [notSupported('spec.trafficDistribution', distribution, trafficDistributions)];
}
