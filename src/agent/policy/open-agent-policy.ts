import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { affectedPrincipals } from '../../auth/authz/affected-principals.ts';
import { createPermissionSignals, type PermissionSignals } from '../../auth/permission-signals.ts';
import { type ActivityLog, createActivityLog } from '../../gateway/instance-activity.ts';
import { createInstanceChanges, type InstanceChanges } from '../../gateway/instance-changes.ts';
import { virtualClusterType } from '../../gateway/instance-type.ts';
import { spaceType } from '../../gateway/spaces/space-type.ts';
import type { AgentContext } from '../agent-context.ts';
import { CachedPolicy } from './cached-policy.ts';
import { openPolicyFile } from './policy-file.ts';
import { asInstance, asSpace } from './policy-replica.ts';

type KeyListener = (names: Iterable<string>) => void;

/** The policy that the agent cached from the control server, and the components that are notified of its changes. */
export interface AgentPolicy {
  readonly policy: CachedPolicy;
  readonly permissionSignals: PermissionSignals;
  readonly changes: InstanceChanges<VirtualClusterInstance>;
  readonly spaceChanges: InstanceChanges<SpaceInstance>;
  readonly activity: ActivityLog;
  /** Calls the listener with the names of changed access keys. Returns a function that unsubscribes. */
  onKeys(listener: KeyListener): () => void;
}

const kinds = {
  Cluster: clusterKind,
  Project: projectKind,
  VirtualClusterInstance: virtualClusterInstanceKind,
  SpaceInstance: spaceInstanceKind,
};

/** Loads the cached policy from disk. */
export async function openAgentPolicy(agent: AgentContext): Promise<AgentPolicy> {
  const { settings, clock, log, closing } = agent;
  const permissionSignals = createPermissionSignals(clock);
  closing.add('permission signals', () => permissionSignals.close());
  const changes = createInstanceChanges(virtualClusterType);
  const spaceChanges = createInstanceChanges(spaceType);
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
        if (kind !== 'VirtualClusterInstance' && kind !== 'SpaceInstance') return;
        changes.handleChange(asInstance(before), asInstance(after));
        spaceChanges.handleChange(asSpace(before), asSpace(after));
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
  if (agent.hasFormerKeys) policy.reseal();
  return {
    policy,
    permissionSignals,
    changes,
    spaceChanges,
    activity,
    onKeys(listener) {
      keyListeners.add(listener);
      return () => keyListeners.delete(listener);
    },
  };
}
