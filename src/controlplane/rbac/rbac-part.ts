import { mountStoredKind } from '../../registry/verbs/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { AggregationController } from './aggregation-controller.ts';
import { builtinRbacObjects } from './default-objects.ts';
import { type RbacAuthorizer, rbacAuthorizer } from './rbac-authorizer.ts';
import { RbacPolicy } from './rbac-policy.ts';
import { rbacResources } from './rbac-resources.ts';
import { restoreDefaultRbacObjects } from './restore-defaults.ts';

/** The plane part for roles and bindings. It also decides, based on them, whether a caller has a permission. */
export interface RbacPart extends PlanePart, RbacAuthorizer {}

export function rbacPart({ log }: Pick<PartDependencies, 'log'>): RbacPart {
  let policy: RbacPolicy | undefined;
  const policyNow = (): RbacPolicy => {
    if (policy === undefined) throw new Error('RBAC was used before the control plane has mounted its parts');
    return policy;
  };
  let authorizer: RbacAuthorizer | undefined;
  const authorizerNow = (): RbacAuthorizer => (authorizer ??= rbacAuthorizer(policyNow()));
  return {
    resources: rbacResources(policyNow),
    builtinObjects: builtinRbacObjects(),
    mount(stores) {
      policy = new RbacPolicy(stores);
      return policy.stores().map((store) => mountStoredKind(store));
    },
    async start() {
      for (const store of policyNow().stores()) await restoreDefaultRbacObjects(store, log);
      const aggregation = new AggregationController(policyNow().clusterRoles, log);
      await aggregation.reconcile();
      return () => aggregation.stop();
    },
    authorize: (subject, attributes) => authorizerNow().authorize(subject, attributes),
    rules: (subject, namespace) => authorizerNow().rules(subject, namespace),
  };
}
