import type { KubeObject } from '../../api/meta.ts';
import { listAt, numberAt, textAt } from '../../lib/json-path.ts';
import type { JsonValue } from '../../lib/json-value.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { CommandCall } from '../command-call.ts';
import { virtualClusters } from '../kinds.ts';
import { Progress } from '../output/progress.ts';
import { followObject, within } from './follow-object.ts';
import type { ServerApi } from './server-api.ts';

export interface InstanceWait {
  readonly project: string;
  readonly name: string;
  readonly milliseconds: number;
}

/** Waits until the conditions of an instance are true, and shows each as it comes true and what holds the next one up. */
export async function waitUntilReady(api: ServerApi, wanted: InstanceWait, call: CommandCall): Promise<KubeObject> {
  const { name } = wanted;
  let last = '';
  const seen = new Set<string>();
  return await following(api, wanted, call, {
    late: () => `the virtual cluster ${name} is not ready in time${last === '' ? '' : `: ${last}`}`,
    look(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`the virtual cluster ${name} was deleted meanwhile`, { exitCode: exitCodes.notFound });
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
      progress.busy(last === '' ? `${name} is being made` : last);
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
  return await following(api, wanted, call, {
    late: () => `the virtual cluster ${wanted.name} is not ${phase} in time${last === '' ? '' : `: ${last}`}`,
    look(instance, progress) {
      if (instance === undefined) {
        throw new CliError(`the virtual cluster ${wanted.name} was deleted meanwhile`, {
          exitCode: exitCodes.notFound,
        });
      }
      if (textAt(instance, 'status', 'phase') === phase) {
        progress.done(phase);
        return true;
      }
      last = troubleOf(instance);
      progress.busy(`waiting until ${wanted.name} is ${phase}${last === '' ? '' : `: ${last}`}`);
      return false;
    },
  });
}

/** Waits until nothing of an instance is left; another one of that name counts as gone. */
export async function waitUntilGone(
  api: ServerApi,
  wanted: InstanceWait,
  uid: string,
  call: CommandCall,
): Promise<void> {
  let last = '';
  await following(api, wanted, call, {
    late: () => `the virtual cluster ${wanted.name} is not gone in time${last === '' ? '' : `: ${last}`}`,
    look(instance, progress) {
      if (instance === undefined || instance.metadata.uid !== uid) return true;
      last = troubleOf(instance);
      progress.busy(`waiting until nothing of ${wanted.name} is left${last === '' ? '' : `: ${last}`}`);
      return false;
    },
  });
}

interface Looking {
  late(): string;
  /** Whether that is what was waited for. */
  look(instance: KubeObject | undefined, progress: Progress): boolean;
}

async function following(
  api: ServerApi,
  { project, name, milliseconds }: InstanceWait,
  { terminal, interrupted }: CommandCall,
  { late, look }: Looking,
): Promise<KubeObject> {
  const progress = new Progress(terminal);
  try {
    return await within(milliseconds, interrupted, late, async (signal) => {
      const onTrouble = (error: unknown) =>
        progress.busy(error instanceof Error ? error.message : 'the server does not answer');
      for await (const instance of followObject(api, virtualClusters, name, { project, signal, onTrouble })) {
        if (look(instance, progress)) return instance ?? ({} as KubeObject);
      }
      throw new CliError('the server ended the watch');
    });
  } finally {
    progress.end();
  }
}

/** What its status says; not where that is still about how it was. */
function troubleOf(instance: KubeObject): string {
  return textAt(instance, 'status', 'phase') === 'Ready' ? '' : textAt(instance, 'status', 'message');
}

/** Those that are about the spec as it is now. */
function currentConditions(instance: KubeObject): readonly JsonValue[] {
  const { generation = 0 } = instance.metadata;
  return listAt(instance, 'status', 'conditions').filter(
    (condition) => (numberAt(condition, 'observedGeneration') ?? generation) >= generation,
  );
}
