import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { affectedPrincipals } from '../../auth/authz/affected-principals.ts';
import { createPermissionSignals, type PermissionSignals } from '../../auth/permission-signals.ts';
import { type ActivityLog, createActivityLog } from '../../gateway/instance-activity.ts';
import { createInstanceChanges, type InstanceChanges } from '../../gateway/instance-changes.ts';
import { StartError } from '../../process/start-error.ts';
import type { AgentContext } from '../agent-context.ts';
import { CachedPolicy } from './cached-policy.ts';
import { openPolicyFile } from './policy-file.ts';
import { asInstance } from './policy-replica.ts';
import { wrongApiWord } from './wrong-api-word.ts';

type KeyListener = (names: Iterable<string>) => void;

/** The policy that the agent cached from the control server, and the components that are notified of its changes. */
export interface AgentPolicy {
  readonly policy: CachedPolicy;
  readonly permissionSignals: PermissionSignals;
  readonly changes: InstanceChanges;
  readonly activity: ActivityLog;
  /** Calls the listener with the names of changed access keys. Returns a function that unsubscribes. */
  onKeys(listener: KeyListener): () => void;
}

const kinds = { Cluster: clusterKind, Project: projectKind, VirtualClusterInstance: virtualClusterInstanceKind };

/** Loads the cached policy from disk. */
export async function openAgentPolicy(agent: AgentContext): Promise<AgentPolicy> {
  const { settings, clock, log, closing } = agent;
  const permissionSignals = createPermissionSignals(clock);
  closing.add('permission signals', () => permissionSignals.close());
  const changes = createInstanceChanges();
  const activity = createActivityLog(clock);
  const keyListeners = new Set<KeyListener>();
  const policy = new CachedPolicy({
    file: await openPolicyFile({ path: agent.dir.policy, sealer: agent.sealer }),
    maxAgeMilliseconds: settings.maxPolicyAge,
    listener: {
      onKeysChanged(names) {
        for (const listener of keyListeners) listener(names);
      },
      onObjectChanged(kind, before, after) {
        permissionSignals.notifyPrincipals(affectedPrincipals(kinds[kind], before?.object, after?.object));
        if (kind !== 'VirtualClusterInstance') return;
        changes.handleChange(asInstance(before), asInstance(after));
        if (after === undefined) activity.forget(before?.object.metadata.uid ?? '');
      },
    },
    clock,
    log,
  });
  closing.add('policy', () => policy.close());
  await policy.load().catch((error: unknown) => {
    // The agent rejects all callers until the control server has sent the full policy again.
    log.error({ error: String(error) }, 'cannot load the cached policy');
  });
  const wrong = policy.replica.header && wrongApiWord(policy.replica.header);
  if (wrong !== undefined) throw new StartError(wrong);
  return {
    policy,
    permissionSignals,
    changes,
    activity,
    onKeys(listener) {
      keyListeners.add(listener);
      return () => keyListeners.delete(listener);
    },
  };
}
