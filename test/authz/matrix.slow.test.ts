import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textsAt } from '../../src/lib/json-path.ts';
import { askAll } from './matrix.ts';
import { type Persona, plainPersonas, scopedPersonas } from './personas.ts';
import { openStage, type Stage } from './stage.ts';

describe('the whole authorization matrix', () => {
  let stage: Stage;
  let paths: readonly string[];

  beforeAll(async () => {
    stage = await openStage();
    paths = textsAt(await stage.read('/kubernetes/management/'), 'paths');
  });
  afterAll(() => stage.close());

  async function expectAsTheTableSays(personas: readonly Persona[], least: number): Promise<void> {
    const { compared, differences } = await askAll(stage, personas, { paths, reviews: true });
    console.log(`${compared} cells compared, ${differences.length} differ`);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(least);
  }

  it('answers everybody as the table says, by request, by their own review and by an admin’s', async () => {
    await expectAsTheTableSays(plainPersonas, 30_000);
  });

  it('answers keys of every scope shape as the table says, whoever holds them', async () => {
    await expectAsTheTableSays(scopedPersonas(['second-admin', 'red-user']), 30_000);
  });
});
