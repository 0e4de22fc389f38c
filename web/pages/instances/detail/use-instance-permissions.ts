import { kinds } from '../../../data/kind-ref.ts';
import { usePermissions } from '../../../data/permissions.ts';
import type { InstanceState } from './instance-state.ts';

/** The caller's permissions on an instance. */
export interface InstancePermissions {
  readonly canChange: boolean;
  readonly canDelete: boolean;
  /** True if the caller may use the API of the instance. */
  readonly canUse: boolean;
  readonly canConnect: boolean;
  readonly canShare: boolean;
  /**
   * True if the caller may list everyone with access to the instance. Only admins of the project, administrators and
   * auditors may.
   */
  readonly canReviewAccess: boolean;
  /** True if the caller may read the log of the control plane: the owner and admins of the project. */
  readonly canReadLog: boolean;
}

/** The props of every section of an instance's page. */
export interface InstanceSectionProps {
  readonly instance: InstanceState;
  readonly permissions: InstancePermissions;
}

export function useInstancePermissions({
  type: { kind },
  namespace,
  name,
}: Pick<InstanceState, 'type' | 'namespace' | 'name'>): InstancePermissions {
  const about = { kind, namespace, name };
  const [patch, remove, use, connect, share, restricted, readKeys, readLog] = usePermissions([
    { ...about, verb: 'patch' },
    { ...about, verb: 'delete' },
    { ...about, verb: 'use' },
    { ...about, verb: 'create', subresource: 'kubeconfig' },
    { ...about, verb: 'update', subresource: 'spec.access' },
    // Only admins of the project may create `restricted`. Only administrators and auditors may list all keys. So these
    // two permissions stand for the roles.
    { kind, namespace, verb: 'create', subresource: 'restricted' },
    { kind: kinds.accessKey, verb: 'list' },
    { ...about, verb: 'get', subresource: 'log' },
  ]).map(({ allowed }) => allowed);
  return {
    canChange: patch === true,
    canDelete: remove === true,
    canUse: use === true,
    canConnect: connect === true,
    canShare: share === true && patch === true,
    canReviewAccess: restricted === true || readKeys === true,
    canReadLog: readLog === true,
  };
}
