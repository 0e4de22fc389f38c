import type { JsonValue } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupPath, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

let bench: ServerTestEnv;
let server: RunningServer;
beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
  await bench.createObject(server, 'teams', 'one');
});
afterAll(() => bench.close());

const teams = `${groupPath}/teams`;
const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const maps = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** The status code of the response, which is never an internal server error. */
async function send(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, type: string, raw: string) {
  const { code, text } = await bench.send(server, path, { method, type, raw });
  expect(code, text.slice(0, 500)).toBeLessThan(500);
  return code;
}

describe.each([990, 1_001, 9_990, 10_001])('a document %i levels deep (REQ-21)', (levels) => {
  const documents: readonly (readonly [string, (inner: string) => string])[] = [
    ['an unknown member', (inner) => `{"metadata":{"name":"one"},"x":${inner}}`],
    ['a member of another type', (inner) => `{"metadata":{"name":"one"},"spec":{"displayName":${inner}}}`],
    ['the spec', (inner) => `{"metadata":{"name":"one"},"spec":${inner}}`],
    ['the labels', (inner) => `{"metadata":{"name":"one","labels":${inner}}}`],
    ['managed fields', (inner) => `{"metadata":{"name":"one","managedFields":[{"fieldsV1":${inner}}]}}`],
  ];
  it.each(documents)('causes no internal error as %s', async (_, wrap) => {
    for (const inner of [lists(levels), maps(levels)]) {
      await send('POST', `${teams}?dryRun=All`, 'application/json', wrap(inner));
      await send('POST', `${teams}?dryRun=All`, 'application/yaml', wrap(inner));
      await send('PUT', `${teams}/one?dryRun=All`, 'application/json', wrap(inner));
      await send('PATCH', `${teams}/one?dryRun=All`, 'application/merge-patch+json', wrap(inner));
      await send('PATCH', `${teams}/one?dryRun=All&fieldManager=m`, 'application/apply-patch+yaml', wrap(inner));
      await send('DELETE', `${teams}/one`, 'application/json', `{"dryRun":["All"],"x":${inner}}`);
      const operation = `[{"op":"add","path":"/spec","value":${inner}}]`;
      await send('PATCH', `${teams}/one?dryRun=All`, 'application/json-patch+json', operation);
    }
  });
});

describe('a JSON patch that builds depth out of small pieces', () => {
  it('is refused', async () => {
    const wrapped: JsonValue[] = [{ op: 'add', path: '/spec/a', value: [] }];
    for (let round = 0; round < 4_000; round++) {
      wrapped.push({ op: 'add', path: '/spec/b', value: [] }, { op: 'move', from: '/spec/a', path: '/spec/b/0' });
      wrapped.push({ op: 'move', from: '/spec/b', path: '/spec/a' });
    }
    const operations = JSON.stringify(wrapped.slice(0, 9_999));
    expect(await send('PATCH', `${teams}/one`, 'application/json-patch+json', operations)).toBe(422);
  });
});
