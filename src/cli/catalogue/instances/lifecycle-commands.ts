import type { CommandSpec } from '../../command-spec.ts';
import { commandPath, type InstanceKind } from '../../kinds.ts';
import { dryRunOption, yesOption } from '../shared-options.ts';
import { locationOptions, nameArgument, namesArgument, waitOptions } from './instance-options.ts';

export function deleteCommandSpec(kind: InstanceKind): CommandSpec {
  const path = commandPath(kind, 'delete');
  return {
    path,
    summary: `Delete ${kind.noun}s and everything in them`,
    args: [namesArgument(kind)],
    options: [
      ...locationOptions,
      ...waitOptions(`the ${kind.noun}s are deleted`),
      { flags: '--ignore-not-found', description: `Do not fail if a ${kind.noun} does not exist` },
      yesOption,
      dryRunOption,
    ],
    examples: [
      {
        command: `flotilla ${path} demo --wait`,
        does: `Delete a ${kind.noun} and wait until nothing of it is left`,
      },
      { command: `flotilla ${path} demo --ignore-not-found`, does: 'Clean up at the end of a pipeline' },
    ],
    load: async () => ({ run: (await import('../../commands/instances/delete.ts')).deleteInstancesCommand(kind) }),
  };
}

/** The parts of the command `sleep` that depend on the kind of instance. */
export interface SleepCommandDetails {
  /** A description, for the help, of the state of a sleeping instance. */
  readonly effect: string;
  readonly details?: string;
  readonly options?: CommandSpec['options'];
}

export function sleepCommandSpec(kind: InstanceKind, more: SleepCommandDetails): CommandSpec {
  const { effect, details, options = [] } = more;
  const path = commandPath(kind, 'sleep');
  return {
    path,
    summary: `Put a ${kind.noun} to sleep until it is woken`,
    args: [nameArgument(kind)],
    ...(details === undefined ? {} : { details }),
    options: [...locationOptions, ...waitOptions(`the ${kind.noun} sleeps`), ...options],
    examples: [{ command: `flotilla ${path} demo`, does: effect }],
    load: async () => ({ run: (await import('../../commands/instances/sleep.ts')).sleepCommand(kind) }),
  };
}

export function wakeCommandSpec(kind: InstanceKind): CommandSpec {
  const path = commandPath(kind, 'wake');
  return {
    path,
    aliases: ['wakeup'],
    summary: `Wake a ${kind.noun}`,
    args: [nameArgument(kind)],
    options: [...locationOptions, ...waitOptions(`the ${kind.noun} is ready`)],
    examples: [{ command: `flotilla ${path} demo --wait`, does: `Wake a ${kind.noun} and wait until it is ready` }],
    load: async () => ({ run: (await import('../../commands/instances/wake.ts')).wakeCommand(kind) }),
  };
}
