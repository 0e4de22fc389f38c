import { mountStored } from '../../registry/stored-verbs.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import { standingRbacObjects } from './default-objects.ts';
import { KeepAggregated } from './keep-aggregated.ts';
import { Policy } from './policy.ts';
import { type RbacAuthorizer, rbacAuthorizer } from './rbac-authorizer.ts';
import { rbacResources } from './rbac-resources.ts';
import { restoreDefaults } from './restore-defaults.ts';

/** Roles and bindings, and the decisions based on them: for the filter chain, reviews, and `may` of a request. */
export interface RbacPart extends PlanePart, RbacAuthorizer {}

export function rbacPart({ log }: Pick<PartDependencies, 'log'>): RbacPart {
  let policy: Policy | undefined;
  const policyNow = (): Policy => {
    if (policy === undefined) throw new Error('RBAC is used before the control plane is mounted');
    return policy;
  };
  let authorizer: RbacAuthorizer | undefined;
  const authorizerNow = (): RbacAuthorizer => (authorizer ??= rbacAuthorizer(policyNow()));
  return {
    resources: rbacResources(policyNow),
    standing: standingRbacObjects(),
    mount(stores) {
      policy = new Policy(stores);
      return policy.stores().map((store) => mountStored(store));
    },
    async start() {
      for (const store of policyNow().stores()) await restoreDefaults(store, log);
      const aggregation = new KeepAggregated(policyNow().clusterRoles, log);
      await aggregation.settle();
      return () => aggregation.stop();
    },
    authorize: (subject, attributes) => authorizerNow().authorize(subject, attributes),
    rules: (subject, namespace) => authorizerNow().rules(subject, namespace),
  };
}
