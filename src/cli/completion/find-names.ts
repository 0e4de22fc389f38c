import { callValues } from '../command-call.ts';
import { readConfig } from '../config/config-file.ts';
import { configPath } from '../config/config-path.ts';
import { listObjects } from '../connection/objects.ts';
import { withServer } from '../connection/server-api.ts';
import type { Environment } from '../environment.ts';
import {
  clusters,
  type NamedKind,
  ownedAccessKeys,
  projects,
  spaces,
  spaceTemplates,
  teams,
  templates,
  users,
  virtualClusters,
} from '../kinds.ts';
import { openTerminal } from '../output/terminal.ts';

export type FindNames = (candidates: string, options: ReadonlyMap<string, string>) => Promise<readonly string[]>;

const kinds: Readonly<Record<string, NamedKind>> = {
  'virtual-cluster': virtualClusters,
  space: spaces,
  project: projects,
  template: templates,
  'space-template': spaceTemplates,
  cluster: clusters,
  user: users,
  team: teams,
  'access-key': ownedAccessKeys,
};

/** The timeout for the request, in milliseconds. Users do not want to wait longer for a completion. */
const timeoutMs = 2_000;
const maxNames = '200';

/** Creates a function that finds names on the server of the login, in the project that the typed words name. */
export function createNameFinder(environment: Environment): FindNames {
  return async (candidates, options) => {
    if (candidates === 'context') return [...(await readConfig(configPath(environment))).logins.keys()];
    const kind = Object.hasOwn(kinds, candidates) ? kinds[candidates] : undefined;
    if (kind === undefined) return [];
    const silent = { write: () => true };
    const terminal = openTerminal({ out: silent, err: silent, in: {} }, environment);
    const values = callValues(new Map(), options);
    return await withServer({ environment, values, terminal }, async (api) => {
      const where = { project: api.access.project, signal: AbortSignal.timeout(timeoutMs) };
      const { items } = await listObjects(api, kind, where, { limit: maxNames });
      return items.map(({ metadata }) => metadata.name ?? '');
    });
  };
}
