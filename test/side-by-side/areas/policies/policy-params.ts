import { beforeAll, describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';
import { untilEffective } from '../../rbac-effective.ts';

const admission = '/apis/admissionregistration.k8s.io/v1';
const policies = `${admission}/validatingadmissionpolicies`;
const bindings = `${admission}/validatingadmissionpolicybindings`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const namespace = 'policy-params';
const user = 'pat';
/** In Kubernetes a controller writes the status of policies. The comparison does not start that controller. */
const ignoredFields = /^body\.status\./;

/** Compares the permissions that the writer of a policy or binding needs for its parameters. */
export function policyParams(pair: Pair): void {
  describe('Parameters of policies', () => {
    const compared = comparedTests(pair);
    const as = { 'impersonate-user': user };
    const prepare = (path: string, json: unknown) => pair.prepare({ method: 'POST', path, json });
    const post = (path: string, json: unknown) =>
      pair.send({ method: 'POST', path, json, headers: as }, { ignoredFields });
    const patch = (path: string, change: unknown) =>
      pair.send(
        {
          method: 'PATCH',
          path,
          body: JSON.stringify(change),
          headers: { ...as, 'content-type': mergePatch },
        },
        { ignoredFields },
      );
    const policy = (name: string, paramKind?: object) => ({
      metadata: { name },
      spec: {
        ...(paramKind === undefined ? {} : { paramKind }),
        matchConstraints: {
          resourceRules: [{ apiGroups: ['none.test'], apiVersions: ['v1'], operations: ['*'], resources: ['nothing'] }],
        },
        validations: [{ expression: 'true' }],
      },
    });
    const binding = (name: string, policyName: string, paramRef: object) => ({
      metadata: { name },
      spec: { policyName, validationActions: ['Deny'], paramRef: { parameterNotFoundAction: 'Allow', ...paramRef } },
    });
    const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };

    beforeAll(async () => {
      await prepare('/api/v1/namespaces', { metadata: { name: namespace } });
      const rule = { verbs: ['*'], apiGroups: ['admissionregistration.k8s.io'], resources: ['*'] };
      await prepare(`${rbac}/clusterroles`, { metadata: { name: user }, rules: [rule] });
      const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }];
      const reference = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: user });
      await prepare(`${rbac}/clusterrolebindings`, {
        metadata: { name: user },
        subjects,
        roleRef: reference('ClusterRole'),
      });
      const roles = `${rbac}/namespaces/${namespace}`;
      const reading = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] };
      await prepare(`${roles}/roles`, { metadata: { name: user }, rules: [reading] });
      await prepare(`${roles}/rolebindings`, { metadata: { name: user }, subjects, roleRef: reference('Role') });
      await prepare(policies, policy('of-config-maps', configMaps));
      await prepare(policies, policy('without-kind'));
      await prepare(policies, policy('of-unknown', { apiVersion: 'none.test/v1', kind: 'None' }));
      await untilEffective(pair, { user, verb: 'get', group: '', resource: 'configmaps', namespace });
    });

    compared('need permission to read all objects of the kind', async () => {
      await post(policies, policy('mine', configMaps));
      await post(policies, policy('mine', { apiVersion: 'none.test/v1', kind: 'None' }));
      await post(policies, policy('mine'));
      await patch(`${policies}/mine`, { spec: { paramKind: configMaps } });
      await patch(`${policies}/of-config-maps`, { metadata: { labels: { a: 'b' } } });
    });

    compared('need permission to read those that a binding names', async () => {
      await post(bindings, binding('named', 'of-config-maps', { name: 'x', namespace }));
      await post(bindings, binding('selected', 'of-config-maps', { selector: {}, namespace }));
      await post(bindings, binding('everywhere', 'of-config-maps', { name: 'x' }));
      await post(bindings, binding('missing', 'none', { name: 'x', namespace }));
      await post(bindings, binding('unknown', 'of-unknown', { name: 'x', namespace }));
      await post(bindings, binding('kindless', 'without-kind', { name: 'x', namespace }));
      await post(bindings, binding('invalid', '', { name: 'x' }));
    });
  });
}
