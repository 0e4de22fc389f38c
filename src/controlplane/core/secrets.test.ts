import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { selfSigned } from '../../../test/harness/self-signed.ts';
import { historyOf } from '../../store/suite/suite-store.ts';
import { type CoreTestEnv, dumpStoreAsText, expectStatusError, openCoreTestEnv } from './core.fixture.ts';

let plane: CoreTestEnv;
beforeEach(async () => {
  plane = await openCoreTestEnv();
});
afterEach(() => plane.close());

const secret = (members: object = {}, name = 's') => ({ metadata: { name }, ...members });
const canary = 'canary-7d3f';

describe('secrets', () => {
  it('merge stringData into data, never return stringData, and have the type Opaque by default', async () => {
    const made = await plane.create('secrets', secret({ stringData: { b: 'hello' }, data: { c: 'eQ==', b: 'eA==' } }));
    expect(made).toMatchObject({ type: 'Opaque', data: { b: 'aGVsbG8=', c: 'eQ==' } });
    expect(Object.keys(made)).toEqual(['kind', 'apiVersion', 'metadata', 'data', 'type']);
    expect(JSON.stringify(made.metadata.managedFields)).not.toContain('stringData');
  });

  it('have no data member if they are empty', async () => {
    expect(await plane.create('secrets', secret({ data: {} }))).not.toHaveProperty('data');
  });

  it.each([
    [
      'kubernetes.io/service-account-token',
      {},
      'metadata.annotations[kubernetes.io/service-account.name]: Required value',
    ],
    ['kubernetes.io/dockercfg', {}, 'data[.dockercfg]: Required value'],
    ['kubernetes.io/dockerconfigjson', { x: '' }, 'data[.dockerconfigjson]: Required value'],
    ['kubernetes.io/basic-auth', { x: '' }, '[data[username]: Required value, data[password]: Required value]'],
    ['kubernetes.io/ssh-auth', { 'ssh-privatekey': '' }, 'data[ssh-privatekey]: Required value'],
    ['kubernetes.io/tls', {}, '[data[tls.crt]: Required value, data[tls.key]: Required value]'],
  ])('of the type %s require the keys of that type', async (type, stringData, faults) => {
    const error = await expectStatusError(plane.create('secrets', secret({ type, stringData })));
    expect(error.code).toBe(422);
    expect(error.status.message).toBe(`Secret "s" is invalid: ${faults}`);
  });

  it.each([
    ['{bad', "invalid character 'b' looking for beginning of object key string"],
    ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['', 'unexpected end of JSON input'],
    ['{} x', "invalid character 'x' after top-level value"],
  ])('accept Docker credentials only as a JSON object, and do not reveal %j', async (text, fault) => {
    const type = 'kubernetes.io/dockerconfigjson';
    const error = await expectStatusError(
      plane.create('secrets', secret({ type, stringData: { '.dockerconfigjson': text } })),
    );
    expect(error.status.message).toBe(
      `Secret "s" is invalid: data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ${fault}`,
    );
  });

  it('accept basic authentication with only a username or a password', async () => {
    await plane.create('secrets', secret({ type: 'kubernetes.io/basic-auth', stringData: { username: '' } }));
    await plane.create('secrets', secret({ type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '{}' } }, 'd'));
  });

  it('cause a warning if certificate and key do not match', async () => {
    const type = 'kubernetes.io/tls';
    const [one, other] = await Promise.all([selfSigned(), selfSigned()]);
    const sent = async (crt: string, key: string, name: string) => {
      plane.warnings.length = 0;
      await plane.create('secrets', secret({ type, stringData: { 'tls.crt': crt, 'tls.key': key } }, name));
      return plane.warnings.splice(0);
    };
    expect(await sent(one.cert, one.key, 'a')).toEqual([]);
    expect(await sent('a', 'b', 'b')).toEqual(['tls: failed to find any PEM data in certificate input']);
    expect(await sent(one.cert, 'b', 'c')).toEqual(['tls: failed to find any PEM data in key input']);
    expect(await sent(one.cert, other.key, 'd')).toEqual(['tls: private key does not match public key']);
    expect(await sent(one.key, one.cert, 'e')).toEqual([
      'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
    ]);
  });

  it('cannot change their type, nor their data once they are immutable', async () => {
    await plane.create('secrets', secret({ immutable: true, stringData: { a: 'b' } }));
    const error = await expectStatusError(plane.update('secrets', secret({ type: 'other', stringData: { a: 'c' } })));
    const text = 'Forbidden: field is immutable when `immutable` is set';
    expect(error.status.message).toBe(
      `Secret "s" is invalid: [type: Invalid value: "other": field is immutable, immutable: ${text}, data: ${text}]`,
    );
    const same = await plane.update('secrets', secret({ immutable: true, stringData: { a: 'b' } }));
    expect(same).toMatchObject({ type: 'Opaque', data: { a: 'Yg==' } });
  });

  itExceptOnEtcd('hold at most 1 MiB', 'a sealed secret of this size is larger than a request of etcd', async () => {
    const full = 'x'.repeat(1_048_576);
    await plane.create('secrets', secret({ stringData: { a: full } }));
    const error = await expectStatusError(plane.create('secrets', secret({ stringData: { a: full, b: 'y' } }, 'over')));
    expect(error.status.message).toBe('Secret "over" is invalid: data: Too long: may not be more than 1048576 bytes');
  });

  it('are sealed in the store: data, annotations and history', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ a: canary }) };
    const made = await plane.create('secrets', {
      metadata: { name: 's', annotations },
      stringData: { password: canary },
    });
    await plane.update('secrets', { ...made, stringData: { password: `${canary}-2` } });
    const rows = await dumpStoreAsText(plane.store);
    const history = JSON.stringify(await historyOf(plane.store, { slice: 'plane', prefix: [] }, 1));
    for (const text of [rows, history]) {
      expect(text).toContain('"secrets"');
      for (const clear of [canary, Buffer.from(canary).toString('base64'), 'last-applied', 'password']) {
        expect(text).not.toContain(clear);
      }
    }
    expect(plane.peek('secrets', 's')).toMatchObject({
      metadata: { annotations },
      data: { password: Buffer.from(`${canary}-2`).toString('base64') },
    });
  });

  it('are readable after the plane is reloaded, from rows and from history', async () => {
    const { store, clock, keys } = plane;
    await plane.create('secrets', secret({ stringData: { a: '1' } }));
    const since = String(plane.peek('secrets', 's')?.metadata.resourceVersion);
    await plane.update('secrets', secret({ stringData: { a: '2' } }));
    await plane.close();
    plane = await openCoreTestEnv({ store, clock, keys });
    expect(plane.peek('secrets', 's')).toMatchObject({ data: { a: 'Mg==' } });
    const listed = await plane.plane.kinds.get('secrets')?.verbs.list(plane.context(), {
      resourceVersion: since,
      resourceVersionMatch: 'Exact',
      limit: 0,
      continue: '',
    });
    expect(listed?.items.map(({ object }) => object.data)).toEqual([{ a: 'MQ==' }]);
  });
});
