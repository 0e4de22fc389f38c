import { flagAt, isJsonObject, type JsonValue, listAt, textAt, textsAt } from '@flotilla/json';
import { CliError, exitCodes } from '../cli-error.ts';
import { closestNames } from '../failure/closest-names.ts';
import { kindWord, type NamedKind, namedKinds } from '../kinds.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Returns the kind that the user named. The name can be the word that the commands use, or, as in kubectl, the
 * resource, the Kind or a short name. Kinds without their own commands are found by API discovery.
 */
export async function findKind(api: ServerApi, word: string, signal: AbortSignal): Promise<NamedKind> {
  const known = kindWithCommands(word);
  if (known !== undefined) return known;
  const typed = word.toLowerCase();
  const words = namedKinds.map(kindWord);
  for (const groupPath of await groupPaths(api, signal)) {
    const { resources } = await api.json({ path: `${managementRoot(api)}/${groupPath}`, signal });
    for (const resource of Array.isArray(resources) ? resources : []) {
      const kind = kindOf(resource, groupPath);
      if (kind === undefined) continue;
      if ([kind.plural, kind.singular, ...textsAt(resource, 'shortNames')].includes(typed))
        return namedKinds.find((one) => one.plural === kind.plural) ?? kind;
      words.push(kind.plural);
    }
  }
  const close = closestNames(typed, [...new Set(words)]);
  throw new CliError(`the server has no kind "${word}"`, {
    exitCode: exitCodes.notFound,
    next:
      close.length > 0
        ? `did you mean ${close.map((one) => `"${one}"`).join(' or ')}?`
        : `there are: ${[...new Set(words)].sort().join(', ')}`,
  });
}

/** Returns the kind with this name that has its own commands; `undefined` if there is none. */
export function kindWithCommands(word: string): NamedKind | undefined {
  const typed = word.toLowerCase();
  return namedKinds.find((kind) =>
    [kindWord(kind), kind.command, kind.plural, kind.singular].some((one) => one !== '' && one === typed),
  );
}

function managementRoot({ access }: ServerApi): string {
  return `/${access.apiPrefix}/management`;
}

/** Returns the paths of the preferred versions of all API groups of the management API. */
async function groupPaths(api: ServerApi, signal: AbortSignal): Promise<readonly string[]> {
  const groups = await api.json({ path: `${managementRoot(api)}/apis`, signal });
  return [
    ...listAt(groups, 'groups').map((group) => `apis/${textAt(group, 'preferredVersion', 'groupVersion')}`),
    'api/v1',
  ];
}

/** Returns a listed resource as a kind; `undefined` for subresources and for kinds that cannot be listed. */
function kindOf(resource: JsonValue, groupPath: string): NamedKind | undefined {
  const plural = textAt(resource, 'name');
  if (!isJsonObject(resource) || plural.includes('/') || !textsAt(resource, 'verbs').includes('list')) return undefined;
  const kind = textAt(resource, 'kind');
  const singular = textAt(resource, 'singularName') || kind.toLowerCase();
  return { kind, plural, singular, groupPath, inProject: flagAt(resource, 'namespaced'), noun: singular, command: '' };
}
