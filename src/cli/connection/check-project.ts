import type { SelfStatus } from '../../api/management/v1/self.ts';
import { StatusError } from '../../api/status.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { projects } from '../kinds.ts';
import { fetchSelf } from './fetch-self.ts';
import { getObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Throws if the project of a command does not exist, or if the scope of the access key does not include anything in the
 * project. In both cases the server responds to a list request with an empty list. Therefore commands call this
 * function before they report that a project is empty.
 */
export async function checkProject(api: ServerApi, signal: AbortSignal): Promise<void> {
  const { project } = api.access;
  try {
    await getObject(api, projects, { signal }, project);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 403) throw error;
    // Check the scope without reading the project: some callers may list objects in a project but not read the project
    // itself.
    const self = (await fetchSelf(api, signal))?.status;
    if (self === undefined || !isOutsideOfScope(self.accessKeyScope, project)) return;
    throw new CliError(`access key "${self.accessKey ?? ''}" has no access to project "${project}"`, {
      exitCode: exitCodes.refused,
      next: `its scope is ${scopeText(self.accessKeyScope)}; show it with: flotilla whoami`,
      cause: error,
    });
  }
}

type Scope = SelfStatus['accessKeyScope'];

/** Returns whether an access key has a scope that contains neither the project nor anything in it. */
export function isOutsideOfScope(scope: Scope, project: string): boolean {
  const { projects: projectEntries = [], virtualClusters = [], spaces = [], clusters = [], rules = [] } = scope ?? {};
  // Return false for a scope with rules, because they may allow any object. A scope without entries limits only the
  // verbs.
  if (rules.length > 0) return false;
  const entries = [...projectEntries, ...virtualClusters, ...spaces];
  if (entries.length + clusters.length === 0) return false;
  return !entries.some((entry) => entry.project === project || entry.project === '*');
}

/** Returns the objects in a scope: `project default, virtual cluster red/demo`. */
function scopeText(scope: Scope): string {
  const { projects: projectEntries = [], virtualClusters = [], spaces = [], clusters = [] } = scope ?? {};
  const names = [
    ...projectEntries.map(({ project }) => `project ${project}`),
    ...virtualClusters.map(({ project, virtualCluster }) => `virtual cluster ${project}/${virtualCluster}`),
    ...spaces.map(({ project, space }) => `space ${project}/${space}`),
    ...clusters.map(({ cluster }) => `cluster ${cluster}`),
  ];
  return names.join(', ');
}
