import { isJsonObject, type JsonValue } from '@flotilla/json';
import { labelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, forbiddenField, invalid, notSupported, required } from '../../../api/field-error.ts';
import { childPath, indexPath } from '../../../api/schema/field-path.ts';
import {
  atLeast,
  atMost,
  isRequired,
  isUnset,
  listOf,
  memberAt,
  numberOf,
  requiredTextWithout,
  textOf,
  valueAtLeast,
} from './checks.ts';
import { memberChecks } from './member-checks.ts';
import type { Check, KindRules, StructRules } from './object-rules.ts';

const maxPrecedence = 10_000;
const maxQueues = 10_000_000;
/** The number of bits of the hash that selects the queues of a flow. */
const maxHashBits = 60;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

const precedence: Check = function* (value, { path, root }) {
  const number = numberOf(value);
  if (number <= 0) yield invalid(path, value ?? 0, 'must be a positive value');
  if (number > maxPrecedence) yield invalid(path, value, `must not be greater than ${maxPrecedence}`);
  if (number === 1 && memberAt(root, ['metadata', 'name']) !== 'exempt') {
    yield invalid(path, value, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
};

/** Kubernetes prints the whole distinguisher method in the error. */
const distinguisher: Check = function* (value, { path }) {
  if (!isJsonObject(value)) return;
  const allowed = ['ByNamespace', 'ByUser'];
  const type = textOf(value.type);
  if (!allowed.includes(type)) yield notSupported(childPath(path, 'type'), { Type: type }, allowed);
};

const hasRules: Check = function* (value, { path }) {
  const isEmpty = ['resourceRules', 'nonResourceRules'].every((name) => isUnset(memberAt(value, [name])));
  if (isEmpty) yield required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty');
};

const subjectMembers: Readonly<Record<string, string>> = {
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
};

const subjectKind: Check = function* (value, { path }) {
  const kind = textOf(memberAt(value, ['kind']));
  const member = Object.hasOwn(subjectMembers, kind) ? subjectMembers[kind] : undefined;
  if (member === undefined) {
    yield notSupported(childPath(path, 'kind'), kind, ['Group', 'ServiceAccount', 'User']);
  } else if (!isJsonObject(memberAt(value, [member]))) {
    yield required(childPath(path, member), `${member} is required when subject kind is '${kind}'`);
  }
};

const otherSubjects: Check = function* (value, { path }) {
  const kind = textOf(memberAt(value, ['kind']));
  if (!Object.hasOwn(subjectMembers, kind)) return;
  for (const [other, member] of Object.entries(subjectMembers)) {
    if (other === kind || !isJsonObject(memberAt(value, [member]))) continue;
    yield forbiddenField(childPath(path, member), `${member} is forbidden when subject kind is not '${other}'`);
  }
};

const accountName: Check = (value, position) =>
  value === '*' ? [] : requiredTextWithout(subdomainFaults)(value, position);

function isWildcard(value: JsonValue | undefined): boolean {
  return listOf(value).includes('*');
}

/** Requires that a list which contains `*` has no other items. */
function loneWildcard(noun: string): Check {
  return function* (value, { path }) {
    if (isWildcard(value) && listOf(value).length > 1) {
      yield invalid(path, value, `if '*' is present, must not specify other ${noun}`);
    }
  };
}

const knownVerbs: Check = function* (value, { path }) {
  if (!isWildcard(value) && !listOf(value).every((verb) => verbs.includes(textOf(verb)))) {
    yield notSupported(path, value, verbs);
  }
};

const namespaces: Check = function* (value, position) {
  if (isUnset(value) && position.parent.clusterScope !== true) {
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    yield required(position.path, detail);
  }
  if (isWildcard(value)) {
    yield* loneWildcard('namespaces')(value, position);
    return;
  }
  for (const [index, name] of listOf(value).entries()) {
    for (const fault of labelFaults(textOf(name))) {
      const detail = `each member of this list must be '*' or a DNS-1123 label; ${fault}`;
      yield invalid(indexPath(position.path, index), name, detail);
    }
  }
};

const urls: Check = function* (value, { path }) {
  if (isWildcard(value)) return;
  for (const [index, url] of listOf(value).entries()) {
    const fault = urlFault(textOf(url));
    if (fault !== undefined) yield invalid(indexPath(path, index), url, fault);
  }
};

function urlFault(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const stars = url.split('*').length - 1;
  return stars > 1 || (stars === 1 && !url.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

const conditionTypes: Check = function* (value, { path }) {
  const types = new Set<string>();
  for (const [index, condition] of listOf(value).entries()) {
    const type = textOf(memberAt(condition, ['type']));
    const at = childPath(indexPath(path, index), 'type');
    if (types.has(type)) yield duplicate(at, type);
    types.add(type);
    if (type === '') yield required(at);
  }
};

const zeroShares = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';

/** Forbids the annotation. Only the conversion from an older version of the API uses it. */
const zeroSharesAnnotation: Check = function* (object) {
  if (memberAt(object, ['metadata', 'annotations', zeroShares]) === undefined) return;
  yield forbiddenField('metadata.annotations', `annotation '${zeroShares}' is forbidden`);
};

const levelType: Check = function* (value, position) {
  const { type: given, limited, exempt } = isJsonObject(value) ? value : {};
  const type = textOf(given);
  const at = (member: string) => childPath(position.path, member);
  const isExempt = memberAt(position.root, ['metadata', 'name']) === 'exempt';
  if (isExempt !== (type === 'Exempt')) {
    yield invalid(at('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (type === 'Exempt') {
    if (isJsonObject(limited)) yield forbiddenField(at('limited'), 'must be nil if the type is not Limited');
  } else if (type === 'Limited') {
    if (isJsonObject(exempt)) yield forbiddenField(at('exempt'), 'must be nil if the type is Limited');
    if (!isJsonObject(limited)) yield required(at('limited'), 'must not be empty when type is Limited');
  } else if (type === '') yield required(at('type'));
  else yield notSupported(at('type'), type, ['Exempt', 'Limited']);
};

const limitResponse: Check = function* (value, position) {
  const { type: given, queuing } = isJsonObject(value) ? value : {};
  const type = textOf(given);
  const at = childPath(position.path, 'queuing');
  if (type === 'Reject') {
    if (isJsonObject(queuing)) {
      yield forbiddenField(at, 'must be nil if limited.limitResponse.type is not Limited');
    }
  } else if (type === 'Queue') {
    if (!isJsonObject(queuing)) yield required(at, 'must not be empty if limited.limitResponse.type is Limited');
  } else if (type === '') yield required(childPath(position.path, 'type'));
  else yield notSupported(childPath(position.path, 'type'), type, ['Queue', 'Reject']);
};

const handSize: Check = function* (value, { path, parent }) {
  const [hand, queues] = [numberOf(value), numberOf(parent.queues)];
  if (hand <= 0) yield invalid(path, value ?? 0, 'must be positive');
  else if (hand > queues) yield invalid(path, value, `should not be greater than queues (${queues})`);
  else if (Math.ceil(Math.log2(queues) * hand) > maxHashBits) {
    const bits = `required entropy bits of deckSize ${queues} and handSize ${hand}`;
    yield invalid(path, value, `${bits} should not be greater than ${maxHashBits}`);
  }
};

const shares = atLeast(0, 'must be a non-negative integer');
const percent: readonly Check[] = [
  atLeast(0, 'must be between 0 and 100, inclusive'),
  atMost(100, 'must be between 0 and 100, inclusive'),
];

/** The rules of flowcontrol.apiserver.k8s.io/v1. */
export const flowcontrolRules: Readonly<Record<string, StructRules>> = {
  'flowcontrol.FlowSchemaSpec': {
    members: {
      matchingPrecedence: [precedence],
      distinguisherMethod: [distinguisher],
      priorityLevelConfiguration: [],
      rules: [],
    },
  },
  'flowcontrol.PriorityLevelConfigurationReference': {
    members: { name: [requiredTextWithout(subdomainFaults, 'must reference a priority level')] },
  },
  'flowcontrol.PolicyRulesWithSubjects': {
    members: { subjects: [isRequired('subjects must contain at least one value')] },
    after: [hasRules],
  },
  'flowcontrol.Subject': { whole: [subjectKind], after: [otherSubjects] },
  'flowcontrol.ServiceAccountSubject': {
    members: {
      name: [accountName],
      namespace: [requiredTextWithout(labelFaults, 'must specify namespace for service account')],
    },
  },
  'flowcontrol.UserSubject': { members: { name: [isRequired()] } },
  'flowcontrol.GroupSubject': { members: { name: [isRequired()] } },
  'flowcontrol.NonResourcePolicyRule': {
    members: {
      verbs: [isRequired('verbs must contain at least one value'), loneWildcard('verbs'), knownVerbs],
      nonResourceURLs: [
        isRequired('nonResourceURLs must contain at least one value'),
        loneWildcard('non-resource URLs'),
        urls,
      ],
    },
  },
  'flowcontrol.ResourcePolicyRule': {
    members: {
      verbs: [isRequired('verbs must contain at least one value'), loneWildcard('verbs'), knownVerbs],
      apiGroups: [isRequired('resource rules must supply at least one api group'), loneWildcard('api groups')],
      resources: [isRequired('resource rules must supply at least one resource'), loneWildcard('resources')],
      namespaces: [namespaces],
    },
  },
  'flowcontrol.PriorityLevelConfiguration': { whole: [zeroSharesAnnotation] },
  'flowcontrol.PriorityLevelConfigurationSpec': { whole: [levelType], members: { exempt: [], limited: [] } },
  'flowcontrol.ExemptPriorityLevelConfiguration': {
    members: { nominalConcurrencyShares: [shares], lendablePercent: percent },
  },
  'flowcontrol.LimitedPriorityLevelConfiguration': {
    members: {
      nominalConcurrencyShares: [shares],
      limitResponse: [],
      lendablePercent: percent,
      borrowingLimitPercent: [atLeast(0, 'if specified, must be a non-negative integer')],
    },
  },
  'flowcontrol.LimitResponse': { whole: [limitResponse] },
  'flowcontrol.QueuingConfiguration': {
    members: {
      queueLengthLimit: [valueAtLeast(1, 'must be positive')],
      queues: [valueAtLeast(1, 'must be positive'), atMost(maxQueues, `must not be greater than ${maxQueues}`)],
      handSize: [handSize],
    },
  },
  'flowcontrol.FlowSchemaStatus': { members: { conditions: [conditionTypes] } },
  'flowcontrol.PriorityLevelConfigurationStatus': { members: { conditions: [conditionTypes] } },
};

const status = [memberChecks('status', { conditions: [conditionTypes] })];

export const flowcontrolKinds: Readonly<Record<string, KindRules>> = {
  'flowcontrol.FlowSchema': { update: ['structs'], status },
  'flowcontrol.PriorityLevelConfiguration': { update: ['structs'], status },
};
