import { byteLength, labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, forbiddenField, invalid, required, tooLong } from '../../../../api/field-error.ts';
import { childPath, indexPath } from '../../../../api/schema/field-path.ts';
import { itemsAt, listOf, textOf } from '../checks.ts';
import { faultErrors, requiredChoiceErrors } from '../field-rules.ts';
import { ipErrors } from '../ip-rules.ts';
import { regexMessage } from '../regex-message.ts';
import { isSet, type PodContext, structAt } from './pod-context.ts';

const maxServers = 3;
const maxSearches = 32;
const maxSearchBytes = 2048;
const maxSubdomainBytes = 253;
const maxHostnameBytes = 64;
const label = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const searchFormat = `${label}(\\.${label})*`;
const searchName = new RegExp(`^${searchFormat}$`);

export function dnsPolicyErrors({ spec, path }: PodContext): Iterable<FieldError> {
  const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  return requiredChoiceErrors(childPath(path, 'dnsPolicy'), textOf(spec.dnsPolicy), policies);
}

/** Returns the faults of a DNS search domain, which may contain underscores. */
function searchFaults(name: string): string[] {
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
  return [
    ...(byteLength(name) > maxSubdomainBytes ? [`must be no more than ${maxSubdomainBytes} bytes`] : []),
    ...(searchName.test(name) ? [] : [regexMessage(rule, searchFormat, 'example.com')]),
  ];
}

/** Validates the DNS configuration of a pod. */
export function* dnsConfigErrors({ spec, path: specPath }: PodContext): Generator<FieldError> {
  const config = structAt(spec, 'dnsConfig');
  const path = childPath(specPath, 'dnsConfig');
  const servers = listOf(config?.nameservers);
  const [serversPath, searchesPath] = [childPath(path, 'nameservers'), childPath(path, 'searches')];
  if (spec.dnsPolicy === 'None' && servers.length === 0) {
    yield config === undefined
      ? required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')
      : required(serversPath, 'must provide at least one DNS nameserver when `dnsPolicy` is None');
    return;
  }
  if (config === undefined) return;
  if (servers.length > maxServers) {
    yield invalid(serversPath, config.nameservers, `must not have more than ${maxServers} nameservers`);
  }
  for (const [index, server] of servers.entries()) yield* ipErrors(indexPath(serversPath, index), textOf(server));
  const searches = listOf(config.searches).map(textOf);
  if (searches.length > maxSearches) {
    yield invalid(searchesPath, searches, `must not have more than ${maxSearches} search paths`);
  }
  if (byteLength(searches.join(' ')) > maxSearchBytes) {
    const detail = `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`;
    yield invalid(searchesPath, searches, detail);
  }
  for (const [index, search] of searches.entries()) {
    const name = search.endsWith('.') ? search.slice(0, -1) : search;
    if (search !== '.') yield* faultErrors(indexPath(searchesPath, index), name, searchFaults(name));
  }
  for (const [option, at] of itemsAt(config, 'options', path)) {
    if (textOf(option.name) === '') yield required(at, 'must not be empty');
  }
}

/** Validates a host name that replaces the default host name of the pod. */
export function* hostnameOverrideErrors({ spec, path }: PodContext): Generator<FieldError> {
  if (!isSet(spec.hostnameOverride)) return;
  const at = childPath(path, 'hostnameOverride');
  const name = textOf(spec.hostnameOverride);
  if (spec.setHostnameAsFQDN === true) yield forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true');
  if (spec.hostNetwork === true) yield forbiddenField(at, 'may not be specified when hostNetwork is true');
  if (byteLength(name) > maxHostnameBytes) yield tooLong(at, maxHostnameBytes);
  yield* faultErrors(at, name, subdomainFaults(name));
}

export function* hostnameErrors({ spec, path }: PodContext): Generator<FieldError> {
  for (const member of ['hostname', 'subdomain']) {
    const name = textOf(spec[member]);
    if (name !== '') yield* faultErrors(childPath(path, member), name, labelFaults(name));
  }
}

export function* hostAliasErrors({ spec, path }: PodContext): Generator<FieldError> {
  for (const [alias, at] of itemsAt(spec, 'hostAliases', path)) {
    yield* ipErrors(childPath(at, 'ip'), textOf(alias.ip));
    for (const [index, hostname] of listOf(alias.hostnames).entries()) {
      const name = textOf(hostname);
      yield* faultErrors(indexPath(childPath(at, 'hostnames'), index), name, subdomainFaults(name));
    }
  }
}
