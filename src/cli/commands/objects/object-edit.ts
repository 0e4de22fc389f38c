import { isJsonObject } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import type { KubeObject } from '../../../api/meta.ts';
import { StatusError } from '../../../api/status.ts';
import { CliError, usageError } from '../../cli-error.ts';
import type { CommandCall } from '../../command-call.ts';
import type { CommandRun } from '../../command-spec.ts';
import { getObject, type ObjectScope, patchObject, replaceObject } from '../../connection/objects.ts';
import type { ServerApi } from '../../connection/server-api.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { editText } from '../../input/edit-text.ts';
import { readDocument } from '../../input/read-parameters.ts';
import type { NamedKind } from '../../kinds.ts';

/** Returns the command that edits an object in the user's editor, or with `--patch`. */
export function editCommand(kind: NamedKind): CommandRun {
  return async (call) => await withFreshLogin(call, async (api) => await editObject(api, kind, call));
}

export async function editObject(api: ServerApi, kind: NamedKind, call: CommandCall): Promise<undefined> {
  const { values, terminal, interrupted: signal } = call;
  const where = { project: api.access.project, signal };
  const name = values.argument('name');
  const patch = values.text('patch');
  if (patch !== undefined) {
    const { value } = readDocument(patch, '--patch');
    if (!isJsonObject(value)) throw usageError('--patch must be a map, for example {"spec":{"displayName":"Demo"}}');
    await patchObject(api, kind, name, { ...where, patch: value });
    terminal.print(`${kind.noun} "${name}" edited\n`);
    return undefined;
  }
  if (!terminal.canPrompt) throw usageError('cannot open an editor without a terminal; use --patch');
  const isChanged = await editAtTerminal(api, kind, where, call);
  terminal.print(isChanged ? `${kind.noun} "${name}" edited\n` : 'no changes made\n');
  return undefined;
}

/**
 * Edits an object in the user's editor. If the server rejects the result, opens the editor again with the reason in the
 * first lines. Ends when the user saves without a change.
 */
async function editAtTerminal(
  api: ServerApi,
  kind: NamedKind,
  where: ObjectScope,
  call: CommandCall,
): Promise<boolean> {
  const name = call.values.argument('name');
  const before = await getObject(api, kind, where, name);
  const { managedFields: _, ...metadata } = before.metadata;
  const original = yamlText({ ...before, metadata });
  let text = original;
  let rejection: StatusError | CliError | undefined;
  for (;;) {
    const head = rejection === undefined ? '' : `${rejection.message.replaceAll(/^/gm, '# ')}\n`;
    const edited = withoutHeader(await editText(`${head}${text}`, name, call));
    if (edited === text || edited === original || edited.trim() === '') {
      if (rejection === undefined) return false;
      throw new CliError(`no changes made: ${rejection.message}`, { cause: rejection });
    }
    text = edited;
    try {
      const { value } = readDocument(text, name);
      if (!isJsonObject(value)) throw new CliError('the document is not an object');
      await replaceObject(api, kind, value as KubeObject, where);
      return true;
    } catch (error) {
      if (!(error instanceof StatusError || error instanceof CliError)) throw error;
      rejection = error;
    }
  }
}

function withoutHeader(text: string): string {
  return text.replace(/^(?:#.*\n)+/, '');
}
