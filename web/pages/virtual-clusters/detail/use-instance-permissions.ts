import { kinds } from '../../../data/kind-ref.ts';
import { usePermissions } from '../../../data/permissions.ts';
import type { InstanceState } from './instance-state.ts';

/** The caller's permissions on a virtual cluster. */
export interface InstancePermissions {
  readonly canChange: boolean;
  readonly canDelete: boolean;
  /** True if the caller may use the API of the virtual cluster. */
  readonly canUse: boolean;
  readonly canConnect: boolean;
  readonly canShare: boolean;
}

/** The props of every section of a virtual cluster's page. */
export interface InstanceSectionProps {
  readonly instance: InstanceState;
  readonly permissions: InstancePermissions;
}

export function useInstancePermissions({
  namespace,
  name,
}: Pick<InstanceState, 'namespace' | 'name'>): InstancePermissions {
  const about = { kind: kinds.instance, namespace, name };
  const [patch, remove, use, connect, share] = usePermissions([
    { ...about, verb: 'patch' },
    { ...about, verb: 'delete' },
    { ...about, verb: 'use' },
    { ...about, verb: 'create', subresource: 'kubeconfig' },
    { ...about, verb: 'update', subresource: 'spec.access' },
  ]).map(({ allowed }) => allowed);
  return {
    canChange: patch === true,
    canDelete: remove === true,
    canUse: use === true,
    canConnect: connect === true,
    canShare: share === true && patch === true,
  };
}
