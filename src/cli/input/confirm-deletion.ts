import { CliError } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { promptYesNo } from './prompt-user.ts';

/**
 * Asks the user at a terminal whether to delete objects, unless `--yes` is given. Throws if the user does not agree.
 * Does not ask without a terminal, as in a pipeline.
 */
export async function confirmDeletion(
  noun: string,
  { names, consequence = '' }: { readonly names: readonly string[]; readonly consequence?: string },
  call: Pick<CommandCall, 'values' | 'terminal' | 'interrupted'>,
): Promise<void> {
  if (call.values.flag('yes') || !call.terminal.canPrompt) return;
  const what = `${noun}${names.length === 1 ? '' : 's'} ${names.map((name) => `"${name}"`).join(', ')}`;
  if (await promptYesNo(`Delete ${what}${consequence}?`, call)) return;
  throw new CliError('nothing was deleted');
}
