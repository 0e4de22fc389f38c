import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace } from '../../src/api/naming.ts';
import { textAt, valueAt } from '../../src/lib/json-path.ts';
import { equalJson, isJsonObject, type JsonObject, type JsonValue } from '../../src/lib/json-value.ts';
import { type Field, serverFields, type Target, targets } from './assignments.ts';
import type { Received, Sent } from './caller.ts';
import { type Persona, plainPersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';

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

/** The ways to write what is there. `now` is the object as its writer reads it. */
const ways: Readonly<Record<string, (target: Target, now: JsonObject, field: Field) => Omit<Sent, 'path'>>> = {
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

describe('what a client sends that is not the client’s to say', () => {
  let stage: Stage;
  let keys: ReadonlyMap<string, string>;

  beforeAll(async () => {
    stage = await openStage();
    const personas = plainPersonas.filter(({ name }) => targets.some(({ who }) => who === name));
    const made: ReadonlyMap<Persona, string> = await stage.keys(personas);
    keys = new Map([...made].map(([{ name }, key]) => [name, key]));
  });
  afterAll(() => stage.close());

  const tokenOf = ({ who }: Target) => keys.get(who) ?? '';

  /** As the writer reads it; the administrator reads keys of others under another kind. */
  const read = (target: Target, name = target.name) => stage.read(`${collectionOf(target)}/${name}`, tokenOf(target));

  async function write(target: Target, way: keyof typeof ways, field: Field): Promise<Received> {
    const sent = ways[way]?.(target, await read(target), field);
    if (sent === undefined) throw new Error(`there is no way ${way}`);
    const query = way === 'apply' ? '?fieldManager=test&force=true' : '';
    return await stage.caller.send(tokenOf(target), {
      ...sent,
      path: `${collectionOf(target)}/${target.name}${query}`,
    });
  }

  async function createWithEach(target: Target): Promise<void> {
    for (const [index, [path, value]] of [...serverFields, ...target.fields].entries()) {
      const name = `made-${index}`;
      const body = merged({ metadata: { name }, spec: { displayName: 'made' } }, path, value);
      const answer = await stage.caller.send(tokenOf(target), { method: 'POST', path: collectionOf(target), body });
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
      for (const way of Object.keys(ways)) {
        it(`is dropped or refused by ${way}, and what is the client’s is written`, async () => {
          const changed = await write(target, way, [['spec', 'displayName'], `by ${way}`]);
          expect(changed.code, changed.text).toBe(200);
          expect(textAt(await read(target), 'spec', 'displayName')).toBe(`by ${way}`);
          for (const field of [...serverFields, ...target.fields]) {
            const before = await read(target);
            const answer = await write(target, way, field);
            const after = await read(target);
            const said = `${way} of ${field[0].join('.')}: ${answer.code} ${answer.text}`;
            expect([200, 403, 409, 422], said).toContain(answer.code);
            expectSame(valueAt(before, ...field[0]), valueAt(after, ...field[0]), field, said);
          }
        });
      }

      if (target.mayCreate) {
        it('is dropped or refused by create, and what is the client’s is written', () => createWithEach(target));
      } else {
        it('cannot be created to say it', async () => {
          const body = { metadata: { name: 'made' }, spec: { displayName: 'made' } };
          const answer = await stage.caller.send(tokenOf(target), { method: 'POST', path: collectionOf(target), body });
          expect(answer.code, answer.text).toBe(403);
        });
      }
    });
  }
});

/** A write of something else may count the generation up and use the key; it never takes over what was sent. */
function expectSame(before: JsonValue | undefined, after: JsonValue | undefined, field: Field, said: string): void {
  const [path, sent] = field;
  if (path.at(-1) === 'generation' || path[0] === 'status') expect(isTakenOver(sent, after), said).toBe(false);
  else expect(after, said).toEqual(before);
}

/** Whether some of what was sent stands there. */
function isTakenOver(sent: JsonValue, found: JsonValue | undefined): boolean {
  if (!isJsonObject(sent)) return equalJson(sent, found);
  return Object.entries(sent).some(([member, value]) => isTakenOver(value, valueAt(found, member)));
}
