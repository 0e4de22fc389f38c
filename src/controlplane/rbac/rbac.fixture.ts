import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { kubernetesAuthenticatedGroup } from '../../api/naming.ts';
import type { Subject } from '../../api/rbac/binding.ts';
import { clusterRoleKind } from '../../api/rbac/cluster-role.ts';
import { clusterRoleBindingKind } from '../../api/rbac/cluster-role-binding.ts';
import { type PolicyRule, rbacGroup } from '../../api/rbac/policy-rule.ts';
import { roleKind } from '../../api/rbac/role.ts';
import { roleBindingKind } from '../../api/rbac/role-binding.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { StatusError } from '../../api/status.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { AccessAttributes, RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import type { PatchOptions } from '../../registry/verbs.ts';
import type { Store } from '../../store/store.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import type { ControlPlane } from '../control-plane.ts';
import { readOnlyNamespaces } from '../core/namespaces/namespaces.ts';
import { openKubernetesPlane } from '../kubernetes-plane.ts';
import type { PlanePart } from '../plane-part.ts';
import { systemContext } from '../system-context.ts';
import { type RbacPart, rbacPart } from './rbac-part.ts';

export const testWriteOptions: PatchOptions = {
  dryRun: false,
  fieldManager: 'tester',
  fieldValidation: 'Strict',
  force: false,
};
export const testAdminUser: UserInfo = { name: 'admin', groups: ['system:masters', kubernetesAuthenticatedGroup] };

const namespaces: PlanePart = { resources: [readOnlyNamespaces], mount: () => [] };

/** A test environment: a plane with RBAC and the namespaces `a`, `b` and `kube-system`. */
export class RbacTestEnv {
  readonly store: Store;
  readonly part: RbacPart;
  readonly plane: ControlPlane;

  private constructor(store: Store, part: RbacPart, plane: ControlPlane) {
    this.store = store;
    this.part = part;
    this.plane = plane;
  }

  /** Opens a test environment. With `isIdle`, the RBAC part is not started, so nothing restores or aggregates roles. */
  static async open(
    store: Store = openTestStore({ clock: new ManualClock() }),
    { isIdle = false } = {},
  ): Promise<RbacTestEnv> {
    let part: RbacPart | undefined;
    const plane = await openKubernetesPlane({
      id: 'plane',
      store,
      clock: new ManualClock(),
      log: silentLog,
      compose(dependencies) {
        part = rbacPart(dependencies);
        const { start: _start, ...idle } = part;
        return { parts: [namespaces, isIdle ? idle : part], authorize: part.authorize };
      },
      onMaintenanceWork() {},
    });
    if (part === undefined) throw new Error('the parts of the plane were not composed');
    const env = new RbacTestEnv(store, part, plane);
    for (const name of ['a', 'b', 'kube-system']) {
      const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as KubeObject;
      const namespaceStore = env.kind(readOnlyNamespaces);
      if (namespaceStore.peek('', name) === undefined)
        await namespaceStore.verbs.create(systemContext(''), object, testWriteOptions);
    }
    return env;
  }

  /** Closes the plane and opens it again over the same store. */
  async reopen(): Promise<RbacTestEnv> {
    this.plane.close();
    return RbacTestEnv.open(this.store);
  }

  kind(kind: Pick<ResourceKind, 'group' | 'plural'>): KindStore {
    const store = this.plane.kinds.get(resourceKey(kind));
    if (store === undefined) throw new Error(`the plane was opened without the kind ${kind.plural}`);
    return store;
  }

  context(user: UserInfo = testAdminUser, namespace = ''): RequestContext {
    return { ...systemContext(namespace), user, system: false, may: (attributes) => this.may(user, attributes) };
  }

  may(
    user: UserInfo,
    { verb, group, resource, subresource = '', namespace = '', name = '' }: AccessAttributes,
  ): boolean {
    const attributes = {
      resourceRequest: true,
      version: '*',
      verb,
      group,
      resource,
      subresource,
      namespace,
      name,
    } as const;
    return this.part.authorize({ user, system: false }, attributes).allowed;
  }

  async create(object: KubeObject, user: UserInfo = testAdminUser): Promise<KubeObject> {
    const context = this.context(user, object.metadata.namespace ?? '');
    return (await this.kind(rbacKindOf(object)).verbs.create(context, object, testWriteOptions)).object;
  }

  async update(object: KubeObject, user: UserInfo = testAdminUser): Promise<KubeObject> {
    const { namespace, name: pathName = '' } = object.metadata;
    const { verbs } = this.kind(rbacKindOf(object));
    return (await verbs.update({ ...this.context(user, namespace), pathName }, pathName, object, testWriteOptions))
      .object;
  }

  async remove(kind: ResourceKind, name: string, namespace = ''): Promise<void> {
    const at = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions: {} };
    await this.kind(kind).verbs.delete(this.context(testAdminUser, namespace), name, at);
  }
}

const kinds = [roleKind, clusterRoleKind, roleBindingKind, clusterRoleBindingKind];

export function rbacKindOf(object: KubeObject): ResourceKind {
  const found = kinds.find(({ kind }) => kind === object.kind);
  if (found === undefined) throw new Error(`${object.kind} is not an RBAC kind`);
  return found;
}

export function clusterRole(name: string, rules: readonly PolicyRule[], labels: Record<string, string> = {}) {
  return newObject(clusterRoleKind, { name, labels }, { rules });
}

export function role(namespace: string, name: string, rules: readonly PolicyRule[]) {
  return newObject(roleKind, { name, namespace }, { rules });
}

export function clusterRoleBinding(name: string, role: string, ...subjects: Subject[]) {
  return newObject(clusterRoleBindingKind, { name }, { subjects, roleRef: { kind: 'ClusterRole', name: role } });
}

/** Returns a RoleBinding. `of` is the kind and name of the bound role, for example `ClusterRole/view`. */
export function roleBinding(namespace: string, name: string, of: string, ...subjects: Subject[]) {
  const [kind = '', role = ''] = of.split('/');
  return newObject(roleBindingKind, { name, namespace }, { subjects, roleRef: { kind, name: role } });
}

function newObject(kind: ResourceKind, metadata: KubeObject['metadata'], members: object): KubeObject {
  const object = { apiVersion: `${rbacGroup}/v1`, kind: kind.kind, metadata, ...members };
  return structuredClone(object) as unknown as JsonObject as KubeObject;
}

export function testUser(name: string, ...groups: string[]): UserInfo {
  return { name, groups: [...groups, kubernetesAuthenticatedGroup] };
}

export async function expectStatusError(call: Promise<unknown>): Promise<StatusError> {
  const error = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof StatusError))
    throw new Error('the request was not refused with a StatusError', { cause: error });
  return error;
}
