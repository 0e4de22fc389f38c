import { sleepRefusal } from '../../api/management/sleep-reasons.ts';
import type { Condition } from '../../api/management/v1/condition.ts';
import { quarantinedReason } from '../../api/quarantined-reason.ts';
import { isTerminalReason } from '../../api/terminal-reasons.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import type { Instance, InstanceKind } from '../kinds.ts';
import { Progress } from '../output/progress.ts';
import { followObject, withTimeout } from './follow-object.ts';
import type { ServerApi } from './server-api.ts';

export interface InstanceWait {
  readonly kind: InstanceKind;
  readonly project: string;
  readonly name: string;
  readonly milliseconds: number;
  /** True if a quarantine was just lifted. The status may still show the quarantine. */
  readonly isQuarantineLifted?: boolean;
}

/**
 * Waits until an instance is ready. Prints each condition that becomes true, and the message of the Ready condition. Throws if
 * the instance is quarantined, or a condition has a terminal reason (`terminalReasons`).
 */
export async function waitUntilReady(api: ServerApi, wanted: InstanceWait, call: CommandCall): Promise<Instance> {
  const {
    name,
    kind: { noun },
  } = wanted;
  let last = '';
  const seen = new Set<string>();
  return await waitFor(api, wanted, call, {
    timeoutMessage: () => `timed out waiting for ${noun} "${name}" to become ready${last === '' ? '' : `: ${last}`}`,
    resultOf(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`${noun} "${name}" was deleted in the meantime`, { exitCode: exitCodes.notFound });
      }
      const conditions = currentConditions(instance);
      for (const { type, status } of conditions) {
        if (type === 'Ready' || status !== 'True' || seen.has(type)) continue;
        seen.add(type);
        progress.step(type);
      }
      const ready = conditions.find(({ type }) => type === 'Ready');
      if (ready?.status === 'True') {
        progress.done('Ready');
        return instance;
      }
      last = ready?.message || (instance.status?.message ?? '');
      if (instance.status?.reason === quarantinedReason && wanted.isQuarantineLifted !== true)
        throw new CliError(`${noun} "${name}" does not become ready: ${last}`);
      const failed = conditions.find(({ status, reason }) => status === 'False' && isTerminalReason(reason));
      if (failed !== undefined) throw new CliError(`${noun} "${name}" does not become ready: ${failed.message}`);
      progress.busy(last === '' ? `creating ${name}` : last);
      return undefined;
    },
  });
}

/** Waits until an instance sleeps. Throws if the server refuses the sleep, because the instance would lose its data. */
export async function waitUntilAsleep(
  api: ServerApi,
  wanted: InstanceWait & { readonly acceptsDataLoss: boolean },
  call: CommandCall,
): Promise<Instance> {
  const phase = 'Sleeping';
  let last = '';
  return await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for ${wanted.kind.noun} "${wanted.name}" to be ${phase}${last === '' ? '' : `: ${last}`}`,
    resultOf(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`${wanted.kind.noun} "${wanted.name}" was deleted in the meantime`, {
          exitCode: exitCodes.notFound,
        });
      }
      if (instance.status?.phase === phase) {
        progress.done(phase);
        return instance;
      }
      // If the user has accepted the loss of data, ignore the condition, because an earlier refused sleep may have set
      // it.
      const refusal = wanted.acceptsDataLoss ? undefined : sleepRefusal(instance);
      if (refusal !== undefined) {
        const message = `${wanted.kind.noun} "${wanted.name}" does not go to sleep: ${refusal.message}`;
        throw new CliError(message, { next: 'to accept the loss, add --accept-data-loss' });
      }
      last = statusMessage(instance);
      progress.busy(`waiting for ${wanted.name} to be ${phase}${last === '' ? '' : `: ${last}`}`);
      return undefined;
    },
  });
}

/** Waits until the instance with this uid is deleted. Also ends if a new instance with the same name exists. */
export async function waitUntilGone(
  api: ServerApi,
  wanted: InstanceWait,
  uid: string,
  call: CommandCall,
): Promise<void> {
  let last = '';
  await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for ${wanted.kind.noun} "${wanted.name}" to be deleted${last === '' ? '' : `: ${last}`}`,
    resultOf(instance, progress) {
      if (instance === undefined || instance.metadata.uid !== uid) return true;
      last = statusMessage(instance);
      progress.busy(`waiting for ${wanted.name} to be deleted${last === '' ? '' : `: ${last}`}`);
      return undefined;
    },
  });
}

interface WaitOptions<Result> {
  timeoutMessage(): string;
  /** Returns the result of the wait; `undefined` to continue waiting. */
  resultOf(instance: Instance | undefined, progress: Progress): Result | undefined;
}

async function waitFor<Result>(
  api: ServerApi,
  { kind, project, name, milliseconds }: InstanceWait,
  { terminal, interrupted }: CommandCall,
  { timeoutMessage, resultOf }: WaitOptions<Result>,
): Promise<Result> {
  const progress = new Progress(terminal);
  try {
    return await withTimeout(milliseconds, interrupted, timeoutMessage, async (signal) => {
      const onTrouble = (error: unknown) =>
        progress.busy(error instanceof Error ? error.message : 'the server does not respond');
      for await (const instance of followObject(api, kind, name, {
        project,
        signal,
        onConnectionError: onTrouble,
      })) {
        const result = resultOf(instance, progress);
        if (result !== undefined) return result;
      }
      throw new CliError('the server ended the watch');
    });
  } finally {
    progress.end();
  }
}

/** Returns the status message. Returns '' in the phase Ready, in which the message describes an earlier state. */
function statusMessage({ status }: Instance): string {
  return status?.phase === 'Ready' ? '' : (status?.message ?? '');
}

/** Returns the conditions that were observed for the current generation of the spec. */
function currentConditions({ metadata, status }: Instance): readonly Condition[] {
  const { generation = 0 } = metadata;
  return (status?.conditions ?? []).filter(({ observedGeneration = generation }) => observedGeneration >= generation);
}
