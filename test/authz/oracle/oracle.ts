import type { Ask } from '../ask.ts';
import { covered, type Persona } from '../personas.ts';
import { coreRows, pathRows, reviewRows } from './core.ts';
import { instanceRows } from './instances.ts';
import { keyRows } from './keys.ts';
import { teamRows, userRows } from './people.ts';
import { clusterRows, templateRows } from './places.ts';
import { projectRows } from './projects.ts';
import { holds } from './relations.ts';
import type { Row } from './row.ts';

/** The whole table. It is written from the interface, and knows nothing of the code that decides. */
export const table: readonly Row[] = [
  ...instanceRows,
  ...projectRows,
  ...clusterRows,
  ...templateRows,
  ...userRows,
  ...teamRows,
  ...keyRows,
  ...coreRows,
  ...reviewRows,
  ...pathRows,
];

/** A request must be allowed to the person and by every scope of the key. */
export function expected(persona: Persona, row: Row, ask: Ask): boolean {
  const allowed = row.may.some((relation) => holds(relation, persona.person, ask));
  if (!allowed || (row.unscoped === true && persona.scopes.length > 0)) return false;
  return covered(persona, ask);
}
