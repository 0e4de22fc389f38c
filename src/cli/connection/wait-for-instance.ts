import type { KubeObject } from '../../api/meta.ts';
import { listAt, numberAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
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
}

/** Waits until an instance is ready. Shows each condition that becomes true, and what blocks the next one. */
export async function waitUntilReady(api: ServerApi, wanted: InstanceWait, call: CommandCall): Promise<KubeObject> {
  const { name } = wanted;
  let last = '';
  const seen = new Set<string>();
  return await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for virtual cluster "${name}" to become ready${last === '' ? '' : `: ${last}`}`,
    isDone(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`virtual cluster "${name}" was deleted in the meantime`, { exitCode: exitCodes.notFound });
      }
      const conditions = currentConditions(instance);
      for (const condition of conditions) {
        const type = textAt(condition, 'type');
        if (type === 'Ready' || textAt(condition, 'status') !== 'True' || seen.has(type)) continue;
        seen.add(type);
        progress.done(type);
      }
      const ready = conditions.find((condition) => textAt(condition, 'type') === 'Ready');
      if (textAt(ready, 'status') === 'True') {
        progress.done('Ready');
        return true;
      }
      last = textAt(ready, 'message') || textAt(instance, 'status', 'message');
      progress.busy(last === '' ? `creating ${name}` : last);
      return false;
    },
  });
}

/** Waits until an instance is in a phase. */
export async function waitForPhase(
  api: ServerApi,
  wanted: InstanceWait,
  phase: string,
  call: CommandCall,
): Promise<KubeObject> {
  let last = '';
  return await waitFor(api, wanted, call, {
    timeoutMessage: () =>
      `timed out waiting for virtual cluster "${wanted.name}" to be ${phase}${last === '' ? '' : `: ${last}`}`,
    isDone(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`virtual cluster "${wanted.name}" was deleted in the meantime`, {
          exitCode: exitCodes.notFound,
        });
      }
      if (textAt(instance, 'status', 'phase') === phase) {
        progress.done(phase);
        return true;
      }
      last = statusMessage(instance);
      progress.busy(`waiting for ${wanted.name} to be ${phase}${last === '' ? '' : `: ${last}`}`);
      return false;
    },
  });
}

/** Waits until an instance is deleted. Another instance of the same name counts as deleted. */
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
    isDone(instance, progress) {
      if (instance === undefined || instance.metadata.uid !== uid) return true;
      last = statusMessage(instance);
      progress.busy(`waiting for ${wanted.name} to be deleted${last === '' ? '' : `: ${last}`}`);
      return false;
    },
  });
}

interface WaitOptions {
  timeoutMessage(): string;
  /** True if the wait is over. */
  isDone(instance: KubeObject | undefined, progress: Progress): boolean;
}

async function waitFor(
  api: ServerApi,
  { project, name, milliseconds }: InstanceWait,
  { terminal, interrupted }: CommandCall,
  { timeoutMessage, isDone }: WaitOptions,
): Promise<KubeObject> {
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
        if (isDone(instance, progress)) return instance ?? ({} as KubeObject);
      }
      throw new CliError('the server ended the watch');
    });
  } finally {
    progress.end();
  }
}

/** The status message; empty if the status still describes the state before the change. */
function statusMessage(instance: KubeObject): string {
  return textAt(instance, 'status', 'phase') === 'Ready' ? '' : textAt(instance, 'status', 'message');
}

/** The conditions that describe the current spec. */
function currentConditions(instance: KubeObject): readonly JsonValue[] {
  const { generation = 0 } = instance.metadata;
  return listAt(instance, 'status', 'conditions').filter(
    (condition) => (numberAt(condition, 'observedGeneration') ?? generation) >= generation,
  );
}
