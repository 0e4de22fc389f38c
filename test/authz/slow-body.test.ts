import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type JsonValue, listAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import type { Received } from './caller.ts';
import { plainPersonas } from './personas.ts';

const instances = `/kubernetes/management/apis/${managementGroup}/v1/namespaces/${projectNamespace('red')}/virtualclusterinstances`;
const grab: JsonValue = { spec: { access: [{ verbs: ['*'], users: ['red-user'] }] } };

/**
 * A write is authorized when its headers have arrived, and executed when its body has arrived. The object may have
 * another owner by then.
 */
describe('a write whose body arrives late', () => {
  let env: AuthzTestEnv;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    const made = await env.keys(plainPersonas.filter(({ name }) => name === 'red-user' || name === 'red-admin'));
    for (const [{ name }, key] of made) keys.set(name, key);
  });
  afterAll(() => env.close());

  /** Sends the headers, waits until the server has received them, and returns a function that sends the body. */
  async function begin(method: string, name: string, type: string): Promise<(body: JsonValue) => Promise<Received>> {
    const headers = {
      authorization: `Bearer ${keys.get('red-user')}`,
      'content-type': type,
      'transfer-encoding': 'chunked',
    };
    const sending = request(`${env.url}${instances}/${name}`, { method, ca: env.ca, headers, agent: false });
    const answer = new Promise<Received>((resolve, reject) => {
      sending.on('response', (message) => {
        text(message).then((body) => resolve({ code: message.statusCode ?? 0, text: body }), reject);
      });
      sending.on('error', reject);
    });
    await new Promise<void>((resolve) => {
      sending.on('socket', (socket) => {
        socket.on('secureConnect', () => {
          sending.flushHeaders();
          // After the responses to some other requests, the server has processed these headers too.
          void otherRequests().then(resolve);
        });
      });
    });
    return (body) => {
      sending.end(JSON.stringify(body));
      return answer;
    };
  }

  async function otherRequests(): Promise<void> {
    for (let count = 0; count < 5; count++) await env.read('/version');
  }

  const make = (name: string, who: string) => env.make(instances, { metadata: { name } }, keys.get(who));
  const accessOf = async (name: string) => listAt(await env.read(`${instances}/${name}`), 'spec', 'access');

  it('does not change an object that another user created meanwhile', async () => {
    const patch = await begin('PATCH', 'not-there-yet', 'application/merge-patch+json');
    const remove = await begin('DELETE', 'nor-this', 'application/json');
    await make('not-there-yet', 'red-admin');
    await make('nor-this', 'red-admin');
    expect((await patch(grab)).code).toBe(403);
    expect(await accessOf('not-there-yet')).toEqual([]);
    expect((await remove({ apiVersion: 'v1', kind: 'DeleteOptions' })).code).toBe(403);
    expect(await accessOf('nor-this')).toEqual([]);
  });

  it('does not change another user’s object that now has the name of the caller’s own', async () => {
    await make('mine', 'red-user');
    const patch = await begin('PATCH', 'mine', 'application/merge-patch+json');
    const gone = await env.caller.send(keys.get('red-user') ?? '', { method: 'DELETE', path: `${instances}/mine` });
    expect(gone.code, gone.text).toBe(200);
    await env.untilGone('red', 'mine');
    await make('mine', 'red-admin');
    expect((await patch(grab)).code).toBe(403);
    expect(await accessOf('mine')).toEqual([]);
  });

  it('is executed if the permission still exists', async () => {
    await make('kept', 'red-user');
    const patch = await begin('PATCH', 'kept', 'application/merge-patch+json');
    expect((await patch({ spec: { displayName: 'late' } })).code).toBe(200);
  });
});
