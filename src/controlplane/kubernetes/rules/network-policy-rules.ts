import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import { rememberLast } from '../../../lib/remember-last.ts';
import { labelSelector, listOf, memberAt, numberOf, oneOf, textOf } from './checks.ts';
import type { Check, KindRules, StructRules } from './object-rules.ts';
import { portNameErrors, portNumberErrors } from './port-rules.ts';
import { isPartOf, parseIpRange, rangeErrors } from './range-rules.ts';

const policyTypes = ['Ingress', 'Egress'];

const port: Check = function* (value, position) {
  const { port: given, endPort } = isJsonObject(value) ? value : {};
  const [portPath, endPath] = [childPath(position.path, 'port'), childPath(position.path, 'endPort')];
  const hasEnd = (endPort ?? undefined) !== undefined;
  if ((given ?? undefined) === undefined) {
    if (hasEnd) yield invalid(endPath, endPort, 'may not be specified when `port` is not specified');
  } else if (typeof given === 'string') {
    if (hasEnd) yield invalid(endPath, endPort, 'may not be specified when `port` is non-numeric');
    yield* portNameErrors(portPath, given);
  } else {
    yield* portNumberErrors(portPath, numberOf(given));
    if (!hasEnd) return;
    if (numberOf(endPort) < numberOf(given)) yield invalid(endPath, given, 'must be greater than or equal to `port`');
    yield* portNumberErrors(endPath, numberOf(endPort));
  }
};

const peer: Check = function* (value, { path }) {
  const members = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) =>
    isJsonObject(memberAt(value, [name])),
  );
  if (members.length === 0) yield required(path, 'must specify a peer');
  else if (members.length > 1 && members.includes('ipBlock')) {
    yield forbiddenField(path, 'may not specify both ipBlock and another peer');
  }
};

/** Checks a range and its exceptions. Ranges that the stored policy already contains are not checked again. */
const ipBlock: Check = function* (value, { path, old }) {
  const cidr = textOf(memberAt(value, ['cidr']));
  if (cidr === '') {
    yield required(childPath(path, 'cidr'));
    return;
  }
  const stored = storedRanges(old);
  const errorsOf = (text: string, at: string): Iterable<FieldError> => (stored.has(text) ? [] : rangeErrors(at, text));
  yield* errorsOf(cidr, childPath(path, 'cidr'));
  const whole = parseIpRange(cidr);
  if (whole === undefined) return;
  for (const [index, item] of listOf(memberAt(value, ['except'])).entries()) {
    const at = indexPath(childPath(path, 'except'), index);
    const text = textOf(item);
    yield* errorsOf(text, at);
    const exception = parseIpRange(text);
    if (exception === undefined) continue;
    if (!isPartOf(exception, whole)) yield invalid(at, text, 'must be a strict subset of `cidr`');
  }
};

const storedRanges = rememberLast((old: JsonObject | undefined): ReadonlySet<string> => {
  const rules = (name: string) => listOf(memberAt(old, ['spec', name]));
  const peers = [
    ...rules('ingress').flatMap((rule) => listOf(memberAt(rule, ['from']))),
    ...rules('egress').flatMap((rule) => listOf(memberAt(rule, ['to']))),
  ];
  const ranges = (one: JsonValue) => [
    memberAt(one, ['ipBlock', 'cidr']),
    ...listOf(memberAt(one, ['ipBlock', 'except'])),
  ];
  return new Set(peers.flatMap(ranges).filter((text): text is string => typeof text === 'string'));
});

const types: Check = function* (value, { path }) {
  const given = listOf(value);
  if (given.length > policyTypes.length) {
    yield invalid(path, value, 'may not specify more than two policyTypes');
    return;
  }
  for (const [index, type] of given.entries()) {
    if (!policyTypes.includes(textOf(type))) yield notSupported(indexPath(path, index), type, policyTypes);
  }
};

/** The rules of network policies. */
export const networkPolicyRules: Readonly<Record<string, StructRules>> = {
  'networking.NetworkPolicySpec': {
    members: { podSelector: [labelSelector], ingress: [], egress: [], policyTypes: [types] },
  },
  'networking.NetworkPolicyPort': { members: { protocol: [oneOf('TCP', 'UDP', 'SCTP')] }, after: [port] },
  'networking.NetworkPolicyPeer': {
    members: { podSelector: [labelSelector], namespaceSelector: [labelSelector] },
    after: [peer],
  },
  'networking.IPBlock': { whole: [ipBlock] },
};

export const networkPolicyKinds: Readonly<Record<string, KindRules>> = {
  'networking.NetworkPolicy': { update: ['structs'] },
};
