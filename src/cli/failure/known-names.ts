import { StatusError } from '../../api/status.ts';
import type { CommandCall } from '../command-call.ts';
import { listObjects, type ObjectScope, requestObject, typedResponse } from '../connection/objects.ts';
import { type ServerApi, withServer } from '../connection/server-api.ts';
import { type NamedKind, projectTemplates, spaceTemplates, templates } from '../kinds.ts';
import { type KnownNames, missingNameIn } from './missing-name.ts';

/**
 * Timeout of the request, in milliseconds. The error message must appear soon, even if it then contains no suggestion.
 */
const timeoutMs = 2_000;
const maxNames = 200;

/**
 * Requests the existing names of a kind if an error response reports that a name is missing. Returns `undefined` if the
 * error has another cause, or if the names cannot be read.
 */
export async function knownNamesFor(error: unknown, call: CommandCall): Promise<KnownNames | undefined> {
  const missing = error instanceof StatusError ? missingNameIn(error) : undefined;
  if (missing === undefined) return undefined;
  const signal = AbortSignal.any([call.interrupted, AbortSignal.timeout(timeoutMs)]);
  return await withServer(call, (api) =>
    listKnownNames(api, missing.kind, { project: api.access.project, signal }),
  ).catch(() => undefined);
}

/** Requests the names of a kind that the caller can see, within the project if the kind belongs to projects. */
export async function listKnownNames(api: ServerApi, kind: NamedKind, where: ObjectScope): Promise<KnownNames> {
  if (kind === templates || kind === spaceTemplates) return await allowedTemplates(api, kind, where);
  const { items } = await listObjects(api, kind, where, { limit: String(maxNames) });
  return {
    project: kind.inProject ? where.project : undefined,
    names: items.map(({ metadata }) => metadata.name ?? ''),
    isPartial: items.length >= maxNames,
  };
}

/** Returns the templates that the project allows. The server would reject any other template. */
async function allowedTemplates(api: ServerApi, kind: NamedKind, where: ObjectScope): Promise<KnownNames> {
  const { project = api.access.project, signal } = where;
  const path = api.managementPath('projects', project, 'templates');
  const response = await requestObject(api, projectTemplates, { path, ...(signal === undefined ? {} : { signal }) });
  const listed = kind === spaceTemplates ? response.spaceTemplates : response.virtualClusterTemplates;
  const names = listed.map((template) => typedResponse(kind, template).metadata.name ?? '');
  return { project, names, isPartial: false };
}
