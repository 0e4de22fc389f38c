import type { AuthzTestEnv } from './authz-test-env.ts';
import { eachOf } from './caller.ts';
import type { Persona } from './personas.ts';
import { describeAction } from './requested-action.ts';
import { expectedItems, type listedItems, listings } from './visible.ts';

const shown = (names: 'refused' | readonly string[]) =>
  names === 'refused' ? names : `[${[...names].sort().join(' ')}]`;

/** Reads every list as each persona. Returns the differences from the oracle, one sentence each. */
export async function listDifferences(
  env: AuthzTestEnv,
  keys: ReadonlyMap<Persona, string>,
  read: typeof listedItems,
): Promise<string[]> {
  const found: string[] = [];
  const cells = [...keys].flatMap(([persona, token]) => listings.map((listing) => ({ persona, token, listing })));
  await eachOf(cells, async ({ persona, token, listing }) => {
    const sight = shown(expectedItems(persona, listing));
    const seen = shown(await read(env.caller, token, listing.ask));
    if (seen !== sight) found.push(`${persona.name}, ${describeAction(listing.ask)}: ${seen}, not ${sight}`);
  });
  return found.sort();
}
