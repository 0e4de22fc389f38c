import { beforeAll, describe } from 'vitest';
import { type ComparedTest, comparedTests } from '../../area.ts';
import { applyPatch, asTable, jsonPatch, mergePatch } from '../../gadgets.ts';
import type { Pair, SendOptions } from '../../pair.ts';
import type { KeptObject } from '../../side.ts';

const namespace = 'core-kinds';
const strategicPatch = 'application/strategic-merge-patch+json';

/** Sends requests for one namespaced kind to both servers and compares the responses. */
class Objects {
  readonly #pair: Pair;
  readonly #path: string;

  constructor(pair: Pair, plural: string) {
    this.#pair = pair;
    this.#path = `/api/v1/namespaces/${namespace}/${plural}`;
  }

  post(json: unknown, below = '', options?: SendOptions) {
    return this.#pair.send({ method: 'POST', path: this.#path + below, json }, options);
  }

  get(below = '', headers = {}, options?: SendOptions) {
    return this.#pair.send({ path: this.#path + below, headers }, options);
  }

  put(name: string, json: unknown, below = '') {
    return this.#pair.send({ method: 'PUT', path: `${this.#path}/${name}${below}`, json });
  }

  putBack(name: string, change: (object: KeptObject) => void) {
    return this.#pair.send((side) => {
      const json = side.kept(name);
      change(json);
      return { method: 'PUT', path: `${this.#path}/${name}`, json };
    });
  }

  patch(name: string, type: string, body: unknown, below = '?fieldManager=patch', options?: SendOptions) {
    const headers = { 'content-type': type };
    const path = `${this.#path}/${name}${below}`;
    return this.#pair.send({ method: 'PATCH', path, body: JSON.stringify(body), headers }, options);
  }

  remove(below: string) {
    return this.#pair.send({ method: 'DELETE', path: this.#path + below });
  }
}

/**
 * Fields that differ: ages, which depend on the time of the request, and descriptions, which each server words
 * differently.
 */
const ages = /\.cells\[\d\]$|\.description$/;

const named = (name: string, rest: object = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  ...rest,
});

/**
 * Compares the kinds that every Kubernetes control plane of the server has: config maps, secrets, service accounts with
 * tokens, quotas.
 */
export function coreKinds(pair: Pair): void {
  describe('Core kinds', () => {
    beforeAll(async () => {
      const json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await pair.prepare({ method: 'POST', path: '/api/v1/namespaces', json });
    });
    const compared = comparedTests(pair);
    configMaps(compared, new Objects(pair, 'configmaps'));
    secrets(compared, new Objects(pair, 'secrets'));
    serviceAccounts(compared, new Objects(pair, 'serviceaccounts'));
    tokens(compared, pair, new Objects(pair, 'serviceaccounts'));
    quotas(compared, new Objects(pair, 'resourcequotas'), new Objects(pair, 'configmaps'));
    compared('all of them have the same names in discovery (DISC-01)', async () => {
      for (const group of ['/api/v1', '/apis/authentication.k8s.io/v1', '/apis/authorization.k8s.io/v1']) {
        const [theirs, ours] = await Promise.all(pair.sides.map((side) => side.send({ path: group })));
        const found = (text: string | undefined) => new Map(resourcesOf(text).map((one) => [one.name, one]));
        const known = found(theirs?.text);
        pair.compareValues(`${group} has kinds`, known.size > 0, found(ours?.text).size > 0);
        for (const [name, resource] of found(ours?.text)) {
          const { storageVersionHash: _, ...entry } = known.get(name) ?? {};
          const { storageVersionHash: __, ...own } = resource;
          pair.compareValues(`${group} ${name}`, entry, own);
        }
      }
    });
  });
}

function resourcesOf(text: string | undefined): Record<string, unknown>[] {
  return (JSON.parse(text ?? '{}') as { resources?: Record<string, unknown>[] }).resources ?? [];
}

function configMaps(compared: ComparedTest, maps: Objects): void {
  compared('config maps are created, changed and refused', async () => {
    await maps.post(named('a', { data: { b: '1', a: '2' }, binaryData: { x: 'AAA=', y: '', z: 'YR==' } }), '', {
      keepAs: 'a',
    });
    await maps.post(named('a'));
    await maps.post(named('empty', { data: {}, binaryData: {} }));
    await maps.post(named('nulls', { data: { a: null, b: 'x' }, immutable: null }));
    await maps.post(named('B_1', { data: {} }));
    for (const data of [{ 'a b': '' }, { '..': '' }, { '.': '' }, { '..a': '' }, { ['x'.repeat(254)]: '' }]) {
      await maps.post(named('key', { data }));
      await maps.post(named('key', { binaryData: data }));
    }
    await maps.post(named('both', { data: { a: '' }, binaryData: { a: '' } }));
    await maps.post(named('big', { data: { a: 'x'.repeat(1_048_570), b: 'y'.repeat(20) } }));
    await maps.putBack('a', (object) => Object.assign(object, { data: { c: '3' } }));
    await maps.patch('a', mergePatch, { data: { c: null, d: '4' } });
    await maps.patch('a', jsonPatch, [{ op: 'add', path: '/data/e', value: '5' }]);
    await maps.patch('a', strategicPatch, { data: { d: null, f: '6' } });
    await maps.patch('ssa', applyPatch, { apiVersion: 'v1', kind: 'ConfigMap', ...named('ssa', { data: { a: '1' } }) });
  });

  compared('config maps that cannot be decoded are refused (DEC-02)', async () => {
    for (const members of [
      { data: { a: 1 } },
      { data: ['a'] },
      { data: 'a' },
      { data: { a: {} } },
      { binaryData: { a: '%%' } },
      { binaryData: { a: 'abc' } },
      { binaryData: { a: 'ab=x' } },
      { binaryData: { a: 5 } },
      { immutable: 'yes' },
      { immutable: 1 },
      { nope: 1 },
    ]) {
      await maps.post(named('x', members), '?fieldValidation=Strict');
      await maps.post(named('x', members), '?dryRun=All');
    }
  });

  compared('immutable config maps do not change', async () => {
    await maps.post(named('im', { immutable: true, data: { a: '1' } }));
    await maps.put('im', named('im', { immutable: false, data: { a: '2' }, binaryData: { k: 'AAAA' } }));
    await maps.put('im', named('im', { data: { a: '1' } }));
    await maps.put('im', named('im', { immutable: true, data: { a: '1' } }, { labels: { a: 'b' } }));
  });

  compared('config maps are listed', async () => {
    await maps.get('?fieldSelector=data%3Dx');
    await maps.get('?fieldSelector=metadata.name%3Da');
    await maps.get('', { accept: asTable }, { ignoredFields: ages });
    await maps.get('/a', { accept: 'application/yaml' });
    await maps.remove('/a');
  });
}

function secrets(compared: ComparedTest, all: Objects): void {
  compared('secrets merge stringData into data, by every kind of write', async () => {
    await all.post(named('a', { stringData: { b: 'hello', ü: '' }, data: { b: 'eA==' } }));
    await all.post(named('a', { stringData: { b: 'hellö' }, data: { b: 'eA==', c: 'eQ==' } }));
    await all.post(named('e', { data: {} }));
    await all.post(named('typed', { type: 'example.com/own', data: { a: null } }));
    await all.post(named('bad', { data: { a: '%%' } }));
    await all.put('a', named('a', { stringData: { n: '1' } }));
    await all.patch('a', mergePatch, { stringData: { m: '2' } });
    await all.patch('a', strategicPatch, { stringData: { m: '3' }, data: { n: null } });
    await all.patch('a', jsonPatch, [{ op: 'add', path: '/stringData', value: { j: '4' } }]);
    await all.put('a', named('a', { type: 'other' }));
    const applied = (members: object) => ({ apiVersion: 'v1', kind: 'Secret', ...named('ssa', members) });
    await all.patch('ssa', applyPatch, applied({ stringData: { n: '1' } }), '?fieldManager=me');
    await all.patch('ssa', applyPatch, applied({ stringData: { n: '2' } }), '?fieldManager=other');
    await all.patch('ssa', applyPatch, applied({ data: { n: 'Mg==' } }), '?fieldManager=other');
    await all.patch('ssa', applyPatch, applied({ stringData: { n: '3' } }), '?fieldManager=me');
    await all.patch('ssa', applyPatch, applied({}), '?fieldManager=me');
  });

  compared('secrets have the keys that their types require', async () => {
    const docker = ['{bad', '[]', '""', '5', '', '{} x', '{"a":1}', 'null'];
    for (const [type, values] of Object.entries({
      'kubernetes.io/service-account-token': [{}],
      'kubernetes.io/dockercfg': [{}, ...docker.map((text) => ({ '.dockercfg': text }))],
      'kubernetes.io/dockerconfigjson': [{}, ...docker.map((text) => ({ '.dockerconfigjson': text }))],
      'kubernetes.io/basic-auth': [{ x: '' }, { username: '' }, { password: 'x' }],
      'kubernetes.io/ssh-auth': [{}, { 'ssh-privatekey': '' }, { 'ssh-privatekey': 'x' }],
      'kubernetes.io/tls': [{}, { 'tls.crt': '' }, { 'tls.crt': 'a', 'tls.key': 'b' }, { 'x y': '' }],
    })) {
      for (const stringData of values) await all.post(named('typed-one', { type, stringData }), '?dryRun=All');
    }
    await all.post(named('big', { stringData: { a: 'x'.repeat(1_048_577) } }));
  });

  compared('immutable secrets do not change', async () => {
    await all.post(named('im', { immutable: true, stringData: { a: 'b' } }));
    await all.put('im', named('im', { type: 'other', stringData: { a: 'c' } }));
    await all.put('im', named('im', { immutable: true, stringData: { a: 'b' } }, { labels: { a: 'b' } }));
  });

  compared('secrets are listed by type', async () => {
    await all.get('?fieldSelector=type%3Dexample.com/own');
    await all.get('?fieldSelector=type!%3DOpaque');
    await all.get('?fieldSelector=data%3DOpaque');
    await all.get('?fieldSelector=metadata.name%3Da', { accept: asTable }, { ignoredFields: ages });
  });
}

function serviceAccounts(compared: ComparedTest, accounts: Objects): void {
  compared('service accounts store references', async () => {
    const secret = { name: 'x', kind: 'Secret', namespace: 'q' };
    const rest = { imagePullSecrets: [{ name: 'y' }, { name: '' }, {}], automountServiceAccountToken: false };
    await accounts.post(named('s', { secrets: [secret, { name: 'z' }], ...rest }));
    await accounts.post(named('twice', { secrets: [secret, { name: 'x' }] }));
    await accounts.post(named('t', { secrets: [], imagePullSecrets: 'a' }));
    await accounts.post(named('t', { secrets: ['a'] }));
    await accounts.post(
      named('t', { secrets: [] }, { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } }),
    );
    await accounts.patch('s', strategicPatch, { secrets: [{ name: 'w' }], imagePullSecrets: [{ name: 'v' }] });
    await accounts.patch('s', mergePatch, { secrets: [{ name: 'w' }], automountServiceAccountToken: null });
    const applied = (secrets: object[]) => ({ apiVersion: 'v1', kind: 'ServiceAccount', ...named('s', { secrets }) });
    await accounts.patch('s', applyPatch, applied([{ name: 'mine' }]), '?fieldManager=me');
    await accounts.patch('s', applyPatch, applied([{ name: 'other' }]), '?fieldManager=me');
    await accounts.patch('s', applyPatch, applied([{}]), '?fieldManager=me');
    await accounts.get('?fieldSelector=metadata.name%3Ds', { accept: asTable }, { ignoredFields: ages });
  });
}

/** Fields that contain the token or the issuer of the token, which differ between the servers. */
const issued = /\.(token|audiences\[\d\]|managedFields.*)$/;

function tokens(compared: ComparedTest, pair: Pair, accounts: Objects): void {
  compared('tokens are requested and refused', async () => {
    const ask = (body: unknown, below = '/s/token') => accounts.post(body, below, { ignoredFields: issued });
    await ask({});
    await ask({}, '/nope/token');
    await ask({}, '/s/token?dryRun=All');
    await ask({ spec: { audiences: ['a', 'b'], expirationSeconds: 700 } });
    await ask({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { labels: { a: 'b' } } });
    for (const spec of [
      { expirationSeconds: 5 },
      { expirationSeconds: 4_294_967_297 },
      { expirationSeconds: 'x' },
      { audiences: 'a' },
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'nope' } },
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'a' } },
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'a', uid: 'wrong' } },
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'a' } },
      { boundObjectRef: { kind: 'Deployment', apiVersion: 'apps/v1', name: 'a' } },
      { nope: 1 },
    ]) {
      await ask({ spec });
    }
    for (const metadata of [{ name: 'other' }, { namespace: 'other' }, { uid: 'other' }, { name: 's', namespace }]) {
      await ask({ metadata });
    }
    await accounts.get('/s/token');
    await accounts.remove('/s/token');
  });

  compared('tokens are reviewed', async () => {
    const reviews = '/apis/authentication.k8s.io/v1/tokenreviews';
    for (const json of [{}, { spec: { token: 'nope' } }, { spec: { token: 'nope', audiences: ['q'] } }]) {
      await pair.send({ method: 'POST', path: reviews, json }, { ignoredFields: /managedFields/ });
    }
    await pair.send({ path: reviews });
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/s/token`;
    const json = { spec: { audiences: ['a', 'b'] } };
    await pair.prepare({ method: 'POST', path, json }, { keepAs: 'token' });
    const review = (audiences: string[]) =>
      pair.send(
        (side) => {
          const { status } = side.kept('token') as unknown as { status: { token: string } };
          return { method: 'POST', path: reviews, json: { spec: { token: status.token, audiences } } };
        },
        { ignoredFields: /managedFields|spec\.token/ },
      );
    await review(['b', 'c']);
    await review(['a', 'b']);
    await review(['c']);
  });
}

function quotas(compared: ComparedTest, all: Objects, maps: Objects): void {
  compared('quotas are normalized, and refused if invalid', async () => {
    const hard = (amounts: object, spec: object = {}) =>
      all.post(named('q', { spec: { hard: amounts, ...spec } }), '?dryRun=All');
    await hard({ pods: 10, configmaps: '1000', secrets: '1e3', 'count/widgets.example.com': '2048Ki', cpu: '0.5' });
    await hard({ memory: '1.5Gi', 'limits.cpu': '1500m', 'requests.storage': '1000000000000', services: '1.0' });
    await hard({ 'requests.memory': '123456789.1', 'limits.memory': '1023Ki', 'requests.nvidia.com/gpu': '4' });
    await hard({ 'hugepages-2Mi': '1Gi', 'gold.storageclass.storage.k8s.io/requests.storage': '5Gi' });
    for (const [name, amount] of Object.entries({
      pods: '-1',
      configmaps: '1500m',
      nonsense: '1',
      'a/b/c': '1',
      'count/x': '1.5',
      'count/': '1',
      storage: '1',
      'example.com/a': '0.5',
      'requests.example.com/a': '0.5',
    })) {
      await hard({ [name]: amount });
    }
    for (const amount of ['1x', true, '', null, '1e', {}, 1.5]) await hard({ pods: amount });
    await hard({ pods: '1', configmaps: '3' }, { scopes: ['Foo', 'BestEffort', 'NotBestEffort'] });
    await hard({ pods: '1' }, { scopes: ['Terminating'] });
    for (const expression of [
      { scopeName: 'Bar', operator: 'In' },
      { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
      { scopeName: 'PriorityClass', operator: 'In', values: ['a'] },
      { scopeName: 'Terminating', operator: 'Q' },
      { scopeName: 'VolumeAttributesClass', operator: 'Exists' },
    ]) {
      await hard({ pods: '1' }, { scopeSelector: { matchExpressions: [expression] } });
    }
    await hard({ 'requests.cpu': '3', 'limits.cpu': '2', memory: '2Gi', 'limits.memory': '1Gi' });
    await all.post(named('none'), '?dryRun=All');
    const applied = (amounts: object) => ({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      ...named('ssa', { spec: { hard: amounts } }),
    });
    const apply = (amounts: object, query: string) => all.patch('ssa', applyPatch, applied(amounts), query);
    await apply({ pods: 10, cpu: '0.5' }, '?fieldManager=me&dryRun=All');
    await apply({ pods: [], cpu: '0.5' }, '?fieldManager=me&dryRun=All');
    await apply({ pods: 'x' }, '?fieldManager=me&dryRun=All');
  });

  compared('quotas refuse excess with the same messages', async () => {
    // kube-apiserver runs without a controller manager, so nothing computes the usage of its quota. The test writes to
    // kube-apiserver the status that this server computes.
    await maps.remove('');
    const limits = { configmaps: '1', 'count/configmaps': '5' };
    await all.post(named('q', { spec: { hard: limits } }));
    await maps.post(named('first'), '', { ignoredFields: /^status$|^body/ });
    const status = { hard: limits, used: { configmaps: '1', 'count/configmaps': '1' } };
    await all.patch('q', mergePatch, { status }, '/status?fieldManager=status', { ignoredFields: /managedFields/ });
    await maps.post(named('first'), '', { ignoredFields: /^status$|^body/ });
    await maps.post(named('second'));
    await maps.post(named('second'), '?dryRun=All');
    await maps.patch(
      'third',
      applyPatch,
      { apiVersion: 'v1', kind: 'ConfigMap', ...named('third') },
      '?fieldManager=me',
    );
    await all.put('q', named('q', { spec: { hard: limits, scopes: ['BestEffort'] } }));
    await all.put('q', named('q', { status: { hard: { nope: '3' } } }), '/status');
    const labelled = { metadata: { labels: { by: 'status' }, annotations: { by: 'status' } } };
    await all.patch('q', mergePatch, labelled, '/status?fieldManager=status', { ignoredFields: /managedFields/ });
    await all.patch('q', mergePatch, { metadata: { labels: { 'a b': 'c' } } }, '/status?fieldManager=status');
    await all.get('', { accept: asTable }, { ignoredFields: /\.cells\[3\]$|managedFields|\.description$/ });
  });
}
