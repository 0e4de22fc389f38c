import type { IconName } from '../components/icon.tsx';
import { type KindRef, kinds } from '../data/kind-ref.ts';

/** A page that the navigation leads to. */
export interface Destination {
  readonly to:
    | '/'
    | '/virtual-clusters'
    | '/projects'
    | '/hosts'
    | '/templates'
    | '/keys'
    | '/users'
    | '/teams'
    | '/audit-log';
  readonly label: string;
  readonly icon: IconName;
  /** Shown only to users who may list this kind in all namespaces. Optional; defaults to everyone. */
  readonly requiresList?: KindRef;
  /** Shown only to administrators. */
  readonly isForAdmins?: boolean;
}

export const destinations: readonly Destination[] = [
  { to: '/', label: 'Fleet', icon: 'fleet' },
  { to: '/virtual-clusters', label: 'Virtual clusters', icon: 'clusters' },
  { to: '/projects', label: 'Projects', icon: 'projects' },
  { to: '/hosts', label: 'Clusters', icon: 'hosts', requiresList: kinds.cluster },
  { to: '/templates', label: 'Templates', icon: 'templates', requiresList: kinds.template },
  { to: '/keys', label: 'Access keys', icon: 'keys' },
  { to: '/users', label: 'Users', icon: 'users', requiresList: kinds.user },
  { to: '/teams', label: 'Teams', icon: 'users', requiresList: kinds.team },
  { to: '/audit-log', label: 'Audit log', icon: 'audit', isForAdmins: true },
];
