import type { IconName } from '../components/icon.tsx';
import { type KindRef, kinds } from '../data/kind-ref.ts';

/** A page with an entry in the navigation. */
export interface Destination {
  readonly to:
    | '/'
    | '/virtual-clusters'
    | '/spaces'
    | '/projects'
    | '/hosts'
    | '/templates'
    | '/space-templates'
    | '/keys'
    | '/users'
    | '/teams'
    | '/usage'
    | '/effective-access'
    | '/activity'
    | '/audit-log'
    | '/system';
  readonly label: string;
  readonly icon: IconName;
  /** Shows the page only to users who may list this kind in all namespaces. Optional; by default all users see it. */
  readonly requiresList?: KindRef;
  /** Shows the page only to administrators and auditors. */
  readonly isForAuditors?: boolean;
}

export const destinations: readonly Destination[] = [
  { to: '/', label: 'Fleet', icon: 'fleet' },
  { to: '/virtual-clusters', label: 'Virtual clusters', icon: 'clusters' },
  { to: '/spaces', label: 'Spaces', icon: 'spaces' },
  { to: '/projects', label: 'Projects', icon: 'projects' },
  { to: '/hosts', label: 'Clusters', icon: 'hosts', requiresList: kinds.cluster },
  { to: '/templates', label: 'Templates', icon: 'templates', requiresList: kinds.template },
  { to: '/space-templates', label: 'Space templates', icon: 'templates', requiresList: kinds.spaceTemplate },
  { to: '/keys', label: 'Access keys', icon: 'keys' },
  { to: '/users', label: 'Users', icon: 'users', requiresList: kinds.user },
  { to: '/teams', label: 'Teams', icon: 'users', requiresList: kinds.team },
  { to: '/usage', label: 'Usage', icon: 'usage', isForAuditors: true },
  { to: '/effective-access', label: 'Effective access', icon: 'access', isForAuditors: true },
  { to: '/activity', label: 'Activity', icon: 'clock' },
  { to: '/audit-log', label: 'Audit log', icon: 'audit', isForAuditors: true },
  { to: '/system', label: 'System', icon: 'system', isForAuditors: true },
];
