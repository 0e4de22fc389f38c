import { kinds } from '../../../data/kind-ref.ts';
import { useMayEach } from '../../../data/permissions.ts';
import type { InstanceFacts } from './instance-facts.ts';

/** What whoever is signed in may do with a virtual cluster. */
export interface InstanceRights {
  readonly canChange: boolean;
  readonly canDelete: boolean;
  /** Get into it. */
  readonly canUse: boolean;
  readonly canConnect: boolean;
  readonly canShare: boolean;
}

/** What every part of the page is given. */
export interface InstancePartProps {
  readonly facts: InstanceFacts;
  readonly rights: InstanceRights;
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
