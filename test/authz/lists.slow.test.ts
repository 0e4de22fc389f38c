import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listDifferences } from './lists.ts';
import { type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';
import { listed, watched } from './visible.ts';

describe('what lists and watches show to everybody', () => {
  let stage: Stage;
  let keys: ReadonlyMap<Persona, string>;

  beforeAll(async () => {
    stage = await openStage();
    keys = await stage.keys([...plainPersonas, ...scopedPersonas(['second-admin', 'red-user'])]);
  });
  afterAll(() => stage.close());

  it('is exactly what each caller may read, in one project and over all', async () => {
    expect(await listDifferences(stage, keys, listed)).toEqual([]);
  });

  it('is the same at the beginning of a watch', async () => {
    // Each watch is a connection of its own: one scope of each sort will do.
    const some = [...keys].filter(
      ([{ name, scopes }]) => scopes.length === 0 || /^red-user-(project|instance|tool|rule-names)$/.test(name),
    );
    expect(await listDifferences(stage, new Map(some), watched)).toEqual([]);
  });
});
