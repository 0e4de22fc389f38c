import { kinds } from '../../../data/kind-ref.ts';
import { useMayEach } from '../../../data/permissions.ts';
import type { InstanceFacts } from './instance-facts.ts';

/** The caller's permissions on a virtual cluster. */
export interface InstanceRights {
  readonly canChange: boolean;
  readonly canDelete: boolean;
  /** Use its API. */
  readonly canUse: boolean;
  readonly canConnect: boolean;
  readonly canShare: boolean;
}

/** The props of every section of the page. */
export interface InstancePartProps {
  readonly instance: InstanceFacts;
  readonly permissions: InstanceRights;
}

export function useInstanceRights({ namespace, name }: Pick<InstanceFacts, 'namespace' | 'name'>): InstanceRights {
  const about = { kind: kinds.instance, namespace, name };
  const [patch, remove, use, connect, share] = useMayEach([
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
