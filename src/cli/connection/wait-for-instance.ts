import type { Condition } from '../../api/management/v1/condition.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { quarantinedReason } from '../../api/quarantined-reason.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { virtualClusters } from '../kinds.ts';
import { Progress } from '../output/progress.ts';
import { followObject, withTimeout } from './follow-object.ts';
import type { ServerApi } from './server-api.ts';

export interface InstanceWait {
  readonly project: string;
  readonly name: string;
  readonly milliseconds: number;
  /** True if a quarantine was just lifted, which the status may not show yet. */
  readonly isQuarantineLifted?: boolean;
}

/**
 * Waits until an instance is ready. Prints each condition that becomes true, and the message of the Ready condition. Throws if
 * the instance is quarantined, because only an administrator can change that.
 */
export async function waitUntilReady(
  api: ServerApi,
  wanted: InstanceWait,
  call: CommandCall,
): Promise<VirtualClusterInstance> {
  const { name } = wanted;
  let last = '';
  const seen = new Set<string>();
  return await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for virtual cluster "${name}" to become ready${last === '' ? '' : `: ${last}`}`,
    resultOf(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`virtual cluster "${name}" was deleted in the meantime`, { exitCode: exitCodes.notFound });
      }
      const conditions = currentConditions(instance);
      for (const { type, status } of conditions) {
        if (type === 'Ready' || status !== 'True' || seen.has(type)) continue;
        seen.add(type);
        progress.done(type);
      }
      const ready = conditions.find(({ type }) => type === 'Ready');
      if (ready?.status === 'True') {
        progress.done('Ready');
        return instance;
      }
      last = ready?.message || (instance.status?.message ?? '');
      if (instance.status?.reason === quarantinedReason && wanted.isQuarantineLifted !== true)
        throw new CliError(`virtual cluster "${name}" does not become ready: ${last}`);
      progress.busy(last === '' ? `creating ${name}` : last);
      return undefined;
    },
  });
}

/** Waits until an instance is in a phase. */
export async function waitForPhase(
  api: ServerApi,
  wanted: InstanceWait,
  phase: string,
  call: CommandCall,
): Promise<VirtualClusterInstance> {
  let last = '';
  return await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for virtual cluster "${wanted.name}" to be ${phase}${last === '' ? '' : `: ${last}`}`,
    resultOf(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`virtual cluster "${wanted.name}" was deleted in the meantime`, {
          exitCode: exitCodes.notFound,
        });
      }
      if (instance.status?.phase === phase) {
        progress.done(phase);
        return instance;
      }
      last = statusMessage(instance);
      progress.busy(`waiting for ${wanted.name} to be ${phase}${last === '' ? '' : `: ${last}`}`);
      return undefined;
    },
  });
}

/** Waits until the instance with this uid is deleted. A new instance with the same name ends the wait too. */
export async function waitUntilGone(
  api: ServerApi,
  wanted: InstanceWait,
  uid: string,
  call: CommandCall,
): Promise<void> {
  let last = '';
  await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for virtual cluster "${wanted.name}" to be deleted${last === '' ? '' : `: ${last}`}`,
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
  resultOf(instance: VirtualClusterInstance | undefined, progress: Progress): Result | undefined;
}

async function waitFor<Result>(
  api: ServerApi,
  { project, name, milliseconds }: InstanceWait,
  { terminal, interrupted }: CommandCall,
  { timeoutMessage, resultOf }: WaitOptions<Result>,
): Promise<Result> {
  const progress = new Progress(terminal);
  try {
    return await withTimeout(milliseconds, interrupted, timeoutMessage, async (signal) => {
      const onTrouble = (error: unknown) =>
        progress.busy(error instanceof Error ? error.message : 'the server does not respond');
      for await (const instance of followObject(api, virtualClusters, name, {
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
function statusMessage({ status }: VirtualClusterInstance): string {
  return status?.phase === 'Ready' ? '' : (status?.message ?? '');
}

/** Returns the conditions that were observed for the current generation of the spec. */
function currentConditions({ metadata, status }: VirtualClusterInstance): readonly Condition[] {
  const { generation = 0 } = metadata;
  return (status?.conditions ?? []).filter(({ observedGeneration = generation }) => observedGeneration >= generation);
}
