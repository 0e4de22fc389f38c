import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import type { Log } from '../../lib/log.ts';
import type { StoredResource } from '../../registry/resource.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { RevisionCheck } from '../../store/store.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { AggregationController } from './aggregation-controller.ts';
import { builtinRbacObjects } from './default-objects.ts';
import { type RbacAuthorizer, rbacAuthorizer } from './rbac-authorizer.ts';
import { RbacPolicy } from './rbac-policy.ts';
import { rbacResources } from './rbac-resources.ts';
import { lacksDefaultRbacObjects, restoreDefaultRbacObjects } from './restore-defaults.ts';

/** The plane part for roles and bindings. It also uses them to decide whether a caller has a permission. */
export interface RbacPart extends PlanePart, RbacAuthorizer {}

export function rbacPart({ log, isShared }: Pick<PartDependencies, 'log' | 'isShared'>): RbacPart {
  let aggregation: AggregationController | undefined;
  let policy: RbacPolicy | undefined;
  /** False if a server of a newer release has written the built-in objects of the plane. That release restores them. */
  let restoresDefaults = false;
  const policyNow = (): RbacPolicy => {
    if (policy === undefined) throw new Error('RBAC was used before the control plane has mounted its parts');
    return policy;
  };
  let authorizer: RbacAuthorizer | undefined;
  const authorizerNow = (): RbacAuthorizer => (authorizer ??= rbacAuthorizer(policyNow()));
  return {
    resources: rbacResources({
      policy: policyNow,
      aggregatedRoleCount: () => aggregation?.roleCount ?? 0,
      ...(isShared
        ? {
            clusterRoleHooks: aggregationHooks(() => aggregation),
            // A maintenance task for any cluster role binding restores all default objects (`requestDefaults`).
            clusterRoleBindingHooks: {
              async reconcile(_namespace, _name, fence) {
                if (restoresDefaults) await restoreDefaults(policyNow(), log, fence);
                return undefined;
              },
            },
          }
        : {}),
    }),
    builtinObjects: builtinRbacObjects(),
    mount(stores) {
      policy = new RbacPolicy(stores);
      return policy.stores().map((store) => mountStoredKind(store));
    },
    async start({ hasNewerBuiltinObjects }) {
      restoresDefaults = !hasNewerBuiltinObjects;
      if (restoresDefaults) await (isShared ? requestDefaults : restoreDefaults)(policyNow(), log);
      const controller = new AggregationController(policyNow().clusterRoles, log);
      aggregation = controller;
      await controller.reconcile();
      return () => controller.stop();
    },
    authorize: (subject, attributes) => authorizerNow().authorize(subject, attributes),
    rules: (subject, namespace) => authorizerNow().rules(subject, namespace),
  };
}

async function restoreDefaults(policy: RbacPolicy, log: Log, fence?: RevisionCheck): Promise<void> {
  for (const store of policy.stores()) await restoreDefaultRbacObjects(store, log, fence);
}

/** Records maintenance work if default objects are missing or incomplete. Never rejects. */
async function requestDefaults(policy: RbacPolicy, log: Log): Promise<void> {
  if (!policy.stores().some(lacksDefaultRbacObjects)) return;
  try {
    await policy.clusterRoleBindings.requestReconcile('', 'cluster-admin');
  } catch (error) {
    log.warn({ error }, 'failed to request the restoration of default roles and bindings');
  }
}

/** Returns the hooks of ClusterRole that make the update of aggregated roles maintenance work. */
function aggregationHooks(
  aggregation: () => AggregationController | undefined,
): Pick<StoredResource, 'requeues' | 'reconcile'> {
  return {
    requeues(old, next) {
      const { name = '' } = (next ?? old)?.object.metadata ?? {};
      const isAffected = aggregation()?.affects(old?.object, next?.object) === true;
      return isAffected ? [{ resource: resourceKey(clusterRoleKind), namespace: '', name }] : [];
    },
    async reconcile(_namespace, _name, fence) {
      await aggregation()?.runTask(fence);
      return undefined;
    },
  };
}
