import { askedText } from './ask.ts';
import { eachOf } from './caller.ts';
import type { Persona } from './personas.ts';
import type { Stage } from './stage.ts';
import { type listed, listings, sightOf } from './visible.ts';

const shown = (names: 'refused' | readonly string[]) =>
  names === 'refused' ? names : `[${[...names].sort().join(' ')}]`;

/** Reads every list as each of them; gives what is not as the oracle says, a sentence each. */
export async function listDifferences(
  stage: Stage,
  keys: ReadonlyMap<Persona, string>,
  read: typeof listed,
): Promise<string[]> {
  const found: string[] = [];
  const cells = [...keys].flatMap(([persona, token]) => listings.map((listing) => ({ persona, token, listing })));
  await eachOf(cells, async ({ persona, token, listing }) => {
    const sight = shown(sightOf(persona, listing));
    const seen = shown(await read(stage.caller, token, listing.ask));
    if (seen !== sight) found.push(`${persona.name}, ${askedText(listing.ask)}: ${seen}, not ${sight}`);
  });
  return found.sort();
}
