import { equalJson, isJsonObject, type JsonObject, type JsonValue, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { type Field, serverFields, type Target, targets } from './assignments.ts';
import { type AuthzTestEnv, openAuthzTestEnv } from './authz-test-env.ts';
import type { Received, Sent } from './caller.ts';
import { type Persona, plainPersonas } from './personas.ts';

const group = `/kubernetes/management/apis/${managementGroup}/v1`;

function collectionOf({ plural, project }: Target): string {
  return `${group}${project === undefined ? '' : `/namespaces/${projectNamespace(project)}`}/${plural}`;
}

function nested([first = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  return { [first]: rest.length === 0 ? value : nested(rest, value) };
}

function merged(object: JsonObject, [first = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  const inner = (object[first] ?? {}) as JsonObject;
  return { ...object, [first]: rest.length === 0 ? value : merged(inner, rest, value) };
}

/** The methods to write an existing object. `now` is the object as its writer reads it. */
const writeMethods: Readonly<Record<string, (target: Target, now: JsonObject, field: Field) => Omit<Sent, 'path'>>> = {
  update: (_target, now, [path, value]) => ({ method: 'PUT', body: merged(now, path, value) }),
  'merge patch': (_target, _now, [path, value]) => ({
    method: 'PATCH',
    type: 'application/merge-patch+json',
    body: nested(path, value),
  }),
  'JSON patch': (_target, _now, [path, value]) => ({
    method: 'PATCH',
    type: 'application/json-patch+json',
    body: [{ op: 'add', path: `/${path.join('/')}`, value }],
  }),
  apply: ({ kind, name }, _now, [path, value]) => ({
    method: 'PATCH',
    type: 'application/apply-patch+yaml',
    body: merged({ apiVersion: `${managementGroup}/v1`, kind, metadata: { name } }, path, value),
  }),
};

describe('a field that the client may not set', () => {
  let env: AuthzTestEnv;
  let keys: ReadonlyMap<string, string>;

  beforeAll(async () => {
    env = await openAuthzTestEnv();
    const personas = plainPersonas.filter(({ name }) => targets.some(({ who }) => who === name));
    const made: ReadonlyMap<Persona, string> = await env.keys(personas);
    keys = new Map([...made].map(([{ name }, key]) => [name, key]));
  });
  afterAll(() => env.close());

  const tokenOf = ({ who }: Target) => keys.get(who) ?? '';

  /** Reads the object as its writer does. The administrator reads other users' keys as another kind. */
  const read = (target: Target, name = target.name) => env.read(`${collectionOf(target)}/${name}`, tokenOf(target));

  async function write(target: Target, method: keyof typeof writeMethods, field: Field): Promise<Received> {
    const sent = writeMethods[method]?.(target, await read(target), field);
    if (sent === undefined) throw new Error(`unknown method ${method}`);
    const query = method === 'apply' ? '?fieldManager=test&force=true' : '';
    return await env.caller.send(tokenOf(target), {
      ...sent,
      path: `${collectionOf(target)}/${target.name}${query}`,
    });
  }

  async function createWithEach(target: Target): Promise<void> {
    for (const [index, [path, value]] of [...serverFields, ...target.fields].entries()) {
      const name = `made-${index}`;
      const body = merged({ metadata: { name }, spec: { displayName: 'made' } }, path, value);
      const answer = await env.caller.send(tokenOf(target), { method: 'POST', path: collectionOf(target), body });
      const said = `create with ${path.join('.')}: ${answer.code} ${answer.text}`;
      expect([201, 403, 422], said).toContain(answer.code);
      if (answer.code !== 201) continue;
      const made = await read(target, name);
      expect(textAt(made, 'spec', 'displayName')).toBe('made');
      expect(isTakenOver(value, valueAt(made, ...path)), said).toBe(false);
    }
  }

  for (const target of targets) {
    describe(target.plural, () => {
      for (const method of Object.keys(writeMethods)) {
        it(`is dropped or refused by ${method}, and the permitted fields are written`, async () => {
          const changed = await write(target, method, [['spec', 'displayName'], `by ${method}`]);
          expect(changed.code, changed.text).toBe(200);
          expect(textAt(await read(target), 'spec', 'displayName')).toBe(`by ${method}`);
          for (const field of [...serverFields, ...target.fields]) {
            const before = await read(target);
            const answer = await write(target, method, field);
            const after = await read(target);
            const said = `${method} of ${field[0].join('.')}: ${answer.code} ${answer.text}`;
            expect([200, 403, 409, 422], said).toContain(answer.code);
            expectSame(valueAt(before, ...field[0]), valueAt(after, ...field[0]), field, said);
          }
        });
      }

      if (target.mayCreate) {
        it('is dropped or refused by create, and the permitted fields are written', () => createWithEach(target));
      } else {
        it('cannot be set by a create', async () => {
          const body = { metadata: { name: 'made' }, spec: { displayName: 'made' } };
          const answer = await env.caller.send(tokenOf(target), { method: 'POST', path: collectionOf(target), body });
          expect(answer.code, answer.text).toBe(403);
        });
      }
    });
  }
});

/**
 * Verifies that the server did not accept the field. A write of another field may increment the generation and use the
 * key.
 */
function expectSame(before: JsonValue | undefined, after: JsonValue | undefined, field: Field, said: string): void {
  const [path, sent] = field;
  if (path.at(-1) === 'generation' || path[0] === 'status') expect(isTakenOver(sent, after), said).toBe(false);
  else expect(after, said).toEqual(before);
}

/** True if some of the sent value is present in the found value. */
function isTakenOver(sent: JsonValue, found: JsonValue | undefined): boolean {
  if (!isJsonObject(sent)) return equalJson(sent, found);
  return Object.entries(sent).some(([member, value]) => isTakenOver(value, valueAt(found, member)));
}
