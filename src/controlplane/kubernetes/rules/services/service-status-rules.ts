import { type JsonValue, listAt, textAt, textsAt, valueAt } from '@flotilla/json';
import { type FieldError, forbiddenField, notSupported, required } from '../../../../api/field-error.ts';
import type { KubeObject } from '../../../../api/meta.ts';
import { indexPath } from '../../../../api/schema/field-path.ts';
import { balancerHostErrors } from '../host-faults.ts';
import { ipErrors, ipWarnings } from '../ip-rules.ts';
import { rangeWarnings } from '../range-rules.ts';
import { addressesOf, isExternalName, isLoadBalancer, noAddress, specOf, typeOf } from './service-spec.ts';

const path = 'status.loadBalancer.ingress';
const modes = ['Proxy', 'VIP'];

function pointsOf(object: KubeObject): readonly JsonValue[] {
  return listAt(object as JsonValue, 'status', 'loadBalancer', 'ingress');
}

/** Returns the errors of an updated status of a service. */
export function serviceStatusErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const points = pointsOf(object);
  if (!isLoadBalancer(specOf(object))) {
    return points.length === 0 ? [] : [forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  const stored = new Set(pointsOf(old).map((point) => textAt(point, 'ip')));
  return points.flatMap((point, index) => {
    const at = indexPath(path, index);
    const ip = textAt(point, 'ip');
    return [
      ...(ip === '' || stored.has(ip) ? [] : ipErrors(`${at}.ip`, ip)),
      ...modeErrors(point, `${at}.ipMode`),
      ...balancerHostErrors(`${at}.hostname`, textAt(point, 'hostname')),
    ];
  });
}

function modeErrors(point: JsonValue, at: string): FieldError[] {
  const mode = valueAt(point, 'ipMode');
  const hasIp = textAt(point, 'ip') !== '';
  if (mode === undefined) return hasIp ? [required(at, 'must be specified when `ip` is set')] : [];
  if (!hasIp) return [forbiddenField(at, 'may not be specified when `ip` is not set')];
  return modes.includes(String(mode)) ? [] : [notSupported(at, mode, modes)];
}

const hintsAnnotation = 'service.kubernetes.io/topology-aware-hints';
const modeAnnotation = 'service.kubernetes.io/topology-mode';

/** Returns the warnings about a valid service. */
export function serviceWarnings(object: KubeObject): string[] {
  const spec = specOf(object);
  const externalIps = textsAt(spec, 'externalIPs');
  const isNamed = isExternalName(spec);
  const addresses = addressesOf(spec);
  const hasAddress = !isNamed && textAt(spec, 'clusterIP') !== noAddress;
  const isHeadless = typeOf(spec) === 'ClusterIP' && textAt(spec, 'clusterIP') === noAddress;
  const when = (condition: boolean, warning: string) => (condition ? [warning] : []);
  const listed = (list: readonly string[], member: string, warningsOf: typeof ipWarnings) =>
    list.flatMap((text, index) => warningsOf(indexPath(`spec.${member}`, index), text));
  return [
    ...when(
      object.metadata.annotations?.[hintsAnnotation] !== undefined,
      `annotation ${hintsAnnotation} is deprecated, please use ${modeAnnotation} instead`,
    ),
    ...(hasAddress ? listed(addresses, 'clusterIPs', ipWarnings) : []),
    ...when(
      isHeadless && textAt(spec, 'loadBalancerIP') !== '',
      'spec.loadBalancerIP is ignored for headless services',
    ),
    ...when(isHeadless && externalIps.length > 0, 'spec.externalIPs is ignored for headless services'),
    ...when(
      isHeadless && textAt(spec, 'sessionAffinity') !== 'None',
      'spec.SessionAffinity is ignored for headless services',
    ),
    ...listed(externalIps, 'externalIPs', ipWarnings),
    ...when(
      externalIps.length > 0 && !isHeadless && !isNamed,
      'spec.externalIPs is deprecated and may no longer be implemented in some clusters',
    ),
    ...ipWarnings('spec.loadBalancerIP', textAt(spec, 'loadBalancerIP')),
    ...listed(textsAt(spec, 'loadBalancerSourceRanges'), 'loadBalancerSourceRanges', rangeWarnings),
    ...when(isNamed && externalIps.length > 0, 'spec.externalIPs is ignored when spec.type is "ExternalName"'),
    ...when(
      !isNamed && textAt(spec, 'externalName') !== '',
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ),
    ...when(
      textAt(spec, 'trafficDistribution') === 'PreferClose',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ),
  ];
}
