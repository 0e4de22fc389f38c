import { renderGoTemplate, TemplateError } from '@flotilla/go-template';
import type { SeededRandom } from '../bad-days/seeded-random.ts';
import { hostileDefinition, hostileRule } from './hostile-definition.ts';
import { anyJson, hostileName, jsonForms } from './hostile-json.ts';
import { hostilePatch } from './hostile-patch.ts';
import { hostileProtobuf } from './hostile-protobuf.ts';
import { hostileTemplate } from './hostile-template.ts';
import type { PlaneRequest, PlaneUnderTest } from './plane-under-test.ts';

/** A hostile input. `requests` prepare the plane and are not measured; only `run` is measured. */
export interface Attack {
  /** The size of the input in bytes, including objects that the request reads. */
  readonly bytes: number;
  readonly requests: readonly PlaneRequest[];
  readonly run: PlaneRequest | (() => void);
}

/** A generator of hostile inputs of one class. The same random numbers produce the same input. */
export interface Evaluator {
  readonly name: string;
  /**
   * True if small inputs can reach a fixed limit on the work of a request, which does not depend on the input size.
   * Examples are patches that copy, patterns and conditions of schemas, loops of templates, and the 10,000 fields of an
   * apply. An apply of 160 kB with very short fields takes about 500 ms per MB.
   */
  readonly hasFixedBudget?: boolean;
  attack(random: SeededRandom, bytes: number): Attack;
}

const json = 'application/json';
const configMaps = '/api/v1/namespaces/default/configmaps';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const ships = '/apis/example.com/v1/namespaces/default/ships';

const post = (path: string, body: string, type = json): PlaneRequest => ({ method: 'POST', path, type, body });
const get = (path: string, accept: string): PlaneRequest => ({ method: 'GET', path, type: json, body: '', accept });

/** Returns the JSON of a ship. Attacks with patches first create this object. */
function shipBody(name: string, spec: string, metadata = ''): string {
  return `{"apiVersion":"example.com/v1","kind":"Ship","metadata":{"name":"${name}"${metadata}},"spec":${spec}}`;
}

/**
 * Returns the JSON of a spec with one hostile value. The value is in a member whose schema is likely to accept it, so
 * the attack reaches all code.
 */
function specOf(random: SeededRandom, bytes: number): string {
  switch (random.below(7)) {
    case 0:
      return `{"set":${jsonForms.texts(random, bytes)}}`;
    case 1:
      return `{"list":${jsonForms.records(random, bytes)}}`;
    case 2:
      return `{"map":${jsonForms.manyMembers(random, bytes).replaceAll(/:[^,}"]*([,}])/g, ':"x"$1')}}`;
    case 3:
      return `{"text":${jsonForms.longText(random, bytes)}}`;
    case 4:
      return `{"patterns":${jsonForms.texts(random, bytes)}}`;
    case 5:
      return `{"free":{"a":${anyJson(random, bytes)}}}`;
    default:
      return anyJson(random, bytes);
  }
}

function metadataOf(random: SeededRandom, bytes: number): string {
  const owner = '{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"u"}';
  const entry = '{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":';
  switch (random.below(5)) {
    case 0:
      return `,"labels":${jsonForms.manyMembers(random, bytes).replaceAll(/:[^,}"]*([,}])/g, ':"x"$1')}`;
    case 1:
      return `,"annotations":${jsonForms.manyMembers(random, bytes).replaceAll(/:[^,}"]*([,}])/g, ':"x"$1')}`;
    case 2:
      return `,"finalizers":${jsonForms.texts(random, bytes).replaceAll('"v', '"a/v')}`;
    case 3:
      return `,"ownerReferences":[${Array.from({ length: bytes / 60 }, () => owner).join(',')}]`;
    default:
      return `,"managedFields":[${entry}{"f:spec":${anyJson(random, bytes)}}}]`;
  }
}

function bodyOf(random: SeededRandom, bytes: number): string {
  return random.below(3) === 0 ? shipBody('a', '{}', metadataOf(random, bytes)) : shipBody('a', specOf(random, bytes));
}

const remove: PlaneRequest = { method: 'DELETE', path: `${ships}/a`, type: json, body: '' };

const jsonBody: Evaluator = {
  name: 'JSON body',
  attack(random, bytes) {
    const body =
      random.below(3) === 0
        ? `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${anyJson(random, bytes)}}`
        : bodyOf(random, bytes);
    const path = body.includes('"ConfigMap","metadata"') ? configMaps : ships;
    const query = random.pick(['?dryRun=All', '?dryRun=All&fieldValidation=Strict', '?dryRun=All&pretty=true']);
    return { bytes: body.length, requests: [remove], run: post(`${path}${query}`, body) };
  },
};

const yamlBody: Evaluator = {
  name: 'YAML body',
  attack(random, bytes) {
    // Limits the size, because the server rejects a longer YAML body.
    const size = Math.min(bytes, 120_000);
    const line = random.pick([
      '- a\n',
      '- - a\n',
      'k: v\n',
      '- {a: b}\n',
      '- &a x\n',
      '- "\\u0041"\n',
      '? a\n',
      '# c\n',
      '- |\n  x\n',
    ]);
    const deep = Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    const text = random.pick([
      () => line.repeat(size / line.length),
      () => Array.from({ length: size / 14 }, (_, at) => `key-${at}: v`).join('\n'),
      () => deep,
      () => `${'['.repeat(400)}${'a,'.repeat(size / 2)}${']'.repeat(400)}`,
      () => `a: &a [${'x,'.repeat(1000)}]\nb: [${'*a,'.repeat(200)}]`,
    ])();
    const spec = text
      .split('\n')
      .map((each) => `    ${each}`)
      .join('\n');
    const body = `apiVersion: example.com/v1\nkind: Ship\nmetadata:\n  name: a\nspec:\n  free:\n${spec}\n`;
    return { bytes: body.length, requests: [remove], run: post(`${ships}?dryRun=All`, body, 'application/yaml') };
  },
};

const apply: Evaluator = {
  name: 'server-side apply',
  hasFixedBudget: true,
  attack(random, bytes) {
    const type = 'application/apply-patch+yaml';
    const request = (manager: string, body: string): PlaneRequest => ({
      method: 'PATCH',
      path: `${ships}/a?fieldManager=${manager}&force=${random.below(2) === 0}`,
      type,
      body,
    });
    const [first, second] = [bodyOf(random, bytes / 2), bodyOf(random, bytes / 2)];
    const next = random.below(2) === 0 ? first : second;
    const manager = random.pick(['m', 'n']);
    return { bytes: first.length + next.length, requests: [remove, request('m', first)], run: request(manager, next) };
  },
};

const patches: Evaluator = {
  name: 'patch',
  hasFixedBudget: true,
  attack(random, bytes) {
    const object = shipBody('a', specOf(random, bytes / 2));
    const { type, body } = hostilePatch(random, bytes / 2);
    return {
      bytes: object.length + body.length,
      requests: [remove, post(ships, object)],
      run: { method: 'PATCH', path: `${ships}/a`, type, body },
    };
  },
};

const strategicMerge: Evaluator = {
  name: 'strategic merge patch',
  attack(random, bytes) {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const subjects = (count: number, kind: string) =>
      Array.from({ length: count }, (_, at) => `{"kind":"User","name":"${kind}${at}"}`).join(',');
    const owners = (count: number) =>
      Array.from({ length: count }, (_, at) => `{"$patch":"delete","uid":"u${at % 50}","name":"n"}`).join(',');
    const object = `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":"a"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[${subjects(bytes / 80, 'a')}]}`;
    const body = random.pick([
      () => `{"subjects":[${subjects(bytes / 80, 'b')}]}`,
      () => `{"metadata":{"ownerReferences":[${owners(bytes / 60)}]}}`,
      () =>
        `{"metadata":{"$setElementOrder/finalizers":${jsonForms.texts(random, bytes / 2)},"finalizers":${jsonForms.texts(random, bytes / 4)}}}`,
      () => `{"metadata":{"$deleteFromPrimitiveList/finalizers":${jsonForms.texts(random, bytes / 2)}}}`,
      () =>
        `{"metadata":{"labels":${jsonForms.manyMembers(random, bytes / 2)},"annotations":{"$retainKeys":${jsonForms.texts(random, bytes / 4)}}}}`,
      () => anyJson(random, bytes / 2),
    ])();
    return {
      bytes: object.length + body.length,
      requests: [{ method: 'DELETE', path: `${roles}/a`, type: json, body: '' }, post(roles, object)],
      run: { method: 'PATCH', path: `${roles}/a`, type: 'application/strategic-merge-patch+json', body },
    };
  },
};

const customDefinition: Evaluator = {
  name: 'CRD schema',
  attack(random, bytes) {
    const body = hostileDefinition(random, bytes);
    return { bytes: body.length, requests: [], run: post(`${definitions}?dryRun=All`, body) };
  },
};

const customObject: Evaluator = {
  name: 'CRD schema and object',
  hasFixedBudget: true,
  attack(random, bytes) {
    const name = `t${random.below(1e9)}`;
    const { definition, object } = hostileRule(random, bytes, name);
    return {
      bytes: definition.length + object.length,
      requests: [post(definitions, definition)],
      run: post(`/apis/${name}.example.com/v1/namespaces/default/things?dryRun=All`, object),
    };
  },
};

const reads: Evaluator = {
  name: 'printer columns, selectors and response formats',
  attack(random, bytes) {
    const labels = Array.from(
      { length: 500 },
      (_, at) => `${hostileName(random, at).replaceAll(/[^a-z0-9]/g, '')}x${at}`,
    );
    const selector = random.pick([
      () => labels.join(','),
      () => `a in (${labels.join(',')})`,
      () => labels.map((label) => `!${label}`).join(','),
      () => labels.map((label) => `${label}!=${label}`).join(','),
      () => 'a',
    ])();
    const field = Array.from({ length: 300 }, (_, at) => `metadata.name!=n${at}`).join(',');
    const object = shipBody('a', specOf(random, bytes));
    const query = random.pick([
      `?labelSelector=${encodeURIComponent(selector)}`,
      `?fieldSelector=${encodeURIComponent(field)}`,
      '?pretty=true',
      '',
    ]);
    const accept = random.pick([json, 'application/yaml', 'application/json;as=Table;g=meta.k8s.io;v=v1']);
    return { bytes: object.length, requests: [remove, post(ships, object)], run: get(`${ships}${query}`, accept) };
  },
};

const templates: Evaluator = {
  name: 'template',
  hasFixedBudget: true,
  attack(random, bytes) {
    const template = hostileTemplate(random, bytes);
    const run = (): void => {
      try {
        renderGoTemplate(template, { Values: { a: { b: 'c' } } });
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
      }
    };
    return { bytes: template.length, requests: [], run };
  },
};

const protobuf: Evaluator = {
  name: 'protobuf body',
  attack(random, bytes) {
    const body = hostileProtobuf(random, bytes);
    const run = { method: 'POST', path: `${configMaps}?dryRun=All`, type: 'application/vnd.kubernetes.protobuf', body };
    return { bytes: body.length, requests: [], run };
  },
};

/**
 * A caller with many rules from several bindings writes a role. The server must compare the role with all of the
 * caller's rules.
 */
const permissions: Evaluator = {
  name: 'roles and bindings',
  attack(random, bytes) {
    const group = 'rbac.authorization.k8s.io';
    const path = (plural: string) => `/apis/${group}/v1/${plural}`;
    const [owned, written] = [`owned-${random.below(1e9)}`, `written-${random.below(1e9)}`];
    const rule = random.pick<(at: number) => string>([
      (at) => `{"apiGroups":["g${at}"],"resources":["things"],"verbs":["get","list"]}`,
      (at) => `{"apiGroups":["g"],"resources":["r${at}","r${at}/status"],"verbs":["get"],"resourceNames":["a","b"]}`,
      (at) => `{"nonResourceURLs":["/path/${at}/*"],"verbs":["get"]}`,
    ]);
    const rules = (count: number) => Array.from({ length: Math.min(7_000, count) }, (_, at) => rule(at)).join(',');
    const role = (name: string, text: string) => `{"metadata":{"name":"${name}"},"rules":[${text}]}`;
    const mayCreate = `{"apiGroups":["${group}"],"resources":["clusterroles"],"verbs":["create"]}`;
    const ownedRole = role(owned, `${rules(bytes / 150)},${mayCreate}`);
    const writtenRole = role(written, rules(bytes / 150));
    const binding = (number: number) =>
      `{"metadata":{"name":"${owned}-${number}"},"roleRef":{"apiGroup":"${group}","kind":"ClusterRole","name":"${owned}"},"subjects":[{"kind":"User","apiGroup":"${group}","name":"${owned}"}]}`;
    const bindings = Array.from({ length: 1 + random.below(50) }, (_, number) =>
      post(path('clusterrolebindings'), binding(number)),
    );
    return {
      bytes: ownedRole.length + writtenRole.length,
      requests: [post(path('clusterroles'), ownedRole), ...bindings],
      run: { ...post(`${path('clusterroles')}?dryRun=All`, writtenRole), user: owned },
    };
  },
};

export const evaluators: readonly Evaluator[] = [
  jsonBody,
  yamlBody,
  protobuf,
  permissions,
  apply,
  patches,
  strategicMerge,
  customDefinition,
  customObject,
  reads,
  templates,
];

/** Defines the kind that most attacks use. */
export async function defineShips(plane: PlaneUnderTest): Promise<void> {
  const text = { type: 'string' };
  const item = { type: 'object', required: ['name'], properties: { name: text, value: text } };
  const spec = {
    type: 'object',
    properties: {
      text,
      map: { type: 'object', additionalProperties: text },
      set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      list: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
      patterns: { type: 'array', items: { type: 'string', pattern: '^([a-z]{1,20}){1,20}[0-9]*$', maxLength: 100 } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  };
  const column = (name: string, jsonPath: string) => ({ name, type: 'string', jsonPath });
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
    additionalPrinterColumns: [column('All', '.spec..a..b'), column('Items', '.spec.list[?(@.name=="n1")].value')],
  };
  const body = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'ships.example.com' },
    spec: { group: 'example.com', names: { plural: 'ships', kind: 'Ship' }, scope: 'Namespaced', versions: [version] },
  };
  const { status, text: answer } = await plane.send(post(definitions, JSON.stringify(body)));
  if (status !== 201) throw new Error(`the kind Ship could not be defined: ${answer}`);
}
