import { StatusError } from '../../api/status.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { listKnownNames } from '../failure/known-names.ts';
import { type MissingName, missingNameText } from '../failure/missing-name.ts';
import { findObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/** A name that the user gave. */
export interface GivenName extends MissingName {
  /** The project that contains the object. Absent if the kind does not belong to projects. */
  readonly project?: string;
}

/**
 * Throws if one of the names does not exist. The error contains the names that the user may have meant. The server
 * accepts missing names, because manifests may be applied in any order. In a command, however, a name with a typo would
 * give access to nobody, or to somebody who gets that name later. With `--allow-missing`, missing names are accepted.
 * Names that the caller may not read are always accepted.
 */
export async function rejectUnknownNames(
  api: ServerApi,
  given: readonly GivenName[],
  { values, interrupted: signal }: Pick<CommandCall, 'values' | 'interrupted'>,
): Promise<void> {
  if (values.flag('allow-missing')) return;
  for (const { kind, name, project } of given) {
    if (name === '*' || project === '*') continue;
    if (await exists(api, { kind, name, ...(project === undefined ? {} : { project }) }, signal)) continue;
    const known = await listKnownNames(api, kind, { project, signal }).catch(() => undefined);
    throw new CliError(missingNameText({ kind, name }, known), {
      exitCode: exitCodes.notFound,
      next: 'for a name that will exist later, add --allow-missing',
    });
  }
}

async function exists(api: ServerApi, { kind, name, project }: GivenName, signal: AbortSignal): Promise<boolean> {
  try {
    return (await findObject(api, kind, { project, signal }, name)) !== undefined;
  } catch (error) {
    if (error instanceof StatusError && error.code === 403) return true;
    throw error;
  }
}
