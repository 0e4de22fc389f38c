import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { listAt } from '../../src/lib/json-path.ts';
import type { JsonValue } from '../../src/lib/json-value.ts';
import type { Received } from './caller.ts';
import { plainPersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';

const instances = `/kubernetes/management/apis/${managementGroup}/v1/namespaces/${projectNamespace('red')}/virtualclusterinstances`;
const grab: JsonValue = { spec: { access: [{ verbs: ['*'], users: ['red-user'] }] } };

/** A write is decided when its headers are there, and done when its body is: what it is about may be another's by then. */
describe('a write whose body comes late', () => {
  let stage: Stage;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    stage = await openStage();
    const made = await stage.keys(plainPersonas.filter(({ name }) => name === 'red-user' || name === 'red-admin'));
    for (const [{ name }, key] of made) keys.set(name, key);
  });
  afterAll(() => stage.close());

  /** Sends the headers, waits until the server has them, and gives what sends the rest. */
  async function begin(method: string, name: string, type: string): Promise<(body: JsonValue) => Promise<Received>> {
    const headers = {
      authorization: `Bearer ${keys.get('red-user')}`,
      'content-type': type,
      'transfer-encoding': 'chunked',
    };
    const sending = request(`${stage.url}${instances}/${name}`, { method, ca: stage.ca, headers, agent: false });
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
          // Some other answers later the server has looked at these headers too.
          void turns().then(resolve);
        });
      });
    });
    return (body) => {
      sending.end(JSON.stringify(body));
      return answer;
    };
  }

  async function turns(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await stage.read('/version');
  }

  const make = (name: string, who: string) => stage.make(instances, { metadata: { name } }, keys.get(who));
  const accessOf = async (name: string) => listAt(await stage.read(`${instances}/${name}`), 'spec', 'access');

  it('does not reach what another one made meanwhile', async () => {
    const patch = await begin('PATCH', 'not-there-yet', 'application/merge-patch+json');
    const remove = await begin('DELETE', 'nor-this', 'application/json');
    await make('not-there-yet', 'red-admin');
    await make('nor-this', 'red-admin');
    expect((await patch(grab)).code).toBe(403);
    expect(await accessOf('not-there-yet')).toEqual([]);
    expect((await remove({ apiVersion: 'v1', kind: 'DeleteOptions' })).code).toBe(403);
    expect(await accessOf('nor-this')).toEqual([]);
  });

  it('does not reach what has the name of the caller’s own and is another’s now', async () => {
    await make('mine', 'red-user');
    const patch = await begin('PATCH', 'mine', 'application/merge-patch+json');
    const gone = await stage.caller.send(keys.get('red-user') ?? '', { method: 'DELETE', path: `${instances}/mine` });
    expect(gone.code, gone.text).toBe(200);
    await stage.untilGone('red', 'mine');
    await make('mine', 'red-admin');
    expect((await patch(grab)).code).toBe(403);
    expect(await accessOf('mine')).toEqual([]);
  });

  it('is done where the right is still there', async () => {
    await make('kept', 'red-user');
    const patch = await begin('PATCH', 'kept', 'application/merge-patch+json');
    expect((await patch({ spec: { displayName: 'late' } })).code).toBe(200);
  });
});
