import { covered, type Persona } from '../personas.ts';
import type { RequestedAction } from '../requested-action.ts';
import { clusterRows, spaceTemplateRows, templateRows } from './clusters-and-templates.ts';
import { coreRows, emptyKindRows, pathRows, reviewRows, usageRows } from './core.ts';
import { instanceRows, spaceRows } from './instances.ts';
import { keyRows } from './keys.ts';
import { projectRows } from './projects.ts';
import { holds } from './relations.ts';
import type { Row } from './row.ts';
import { teamRows, userRows } from './users-and-teams.ts';

/** The complete permission table. It is written from the API documentation, independent of the authorizer's code. */
export const table: readonly Row[] = [
  ...instanceRows,
  ...spaceRows,
  ...projectRows,
  ...clusterRows,
  ...templateRows,
  ...spaceTemplateRows,
  ...userRows,
  ...teamRows,
  ...keyRows,
  ...coreRows,
  ...reviewRows,
  ...emptyKindRows,
  ...usageRows,
  ...pathRows,
];

/** True if the person may send the request and every scope of the key allows it. */
export function expected(persona: Persona, row: Row, ask: RequestedAction): boolean {
  const allowed = row.may.some((relation) => holds(relation, persona.person, ask));
  if (!allowed || (row.unscoped === true && persona.scopes.length > 0)) return false;
  return covered(persona, ask);
}
