import { type Row, rows } from './row.ts';

/** "list and read", "create", "update, delete", "use it" of completions §8, for virtual clusters and spaces. */
const commonRows = (plural: string): readonly Row[] => [
  ...rows(plural, 'list watch', 'all', ['everybody']),
  ...rows(plural, 'list watch', 'project', [
    'admin',
    'auditor',
    'project admin',
    'project user',
    'project viewer',
    'project owner',
    'reads an instance there',
  ]),
  ...rows(plural, 'get', 'one', ['admin', 'auditor', 'project admin', 'owner', 'named']),
  ...rows(`${plural}/status`, 'get', 'one', ['admin', 'auditor', 'project admin', 'owner', 'named with get']),
  ...rows(`${plural}/usage`, 'get', 'one', ['admin', 'auditor', 'project admin', 'owner', 'named with get']),
  // Writes of the status change nothing. Everyone who may write the object may also write its status.
  ...rows(`${plural}/status`, 'update', 'one', ['admin', 'project admin', 'owner', 'named with update']),
  ...rows(`${plural}/status`, 'patch', 'one', ['admin', 'project admin', 'owner', 'named with patch']),

  ...rows(plural, 'create', 'project', ['admin', 'project admin', 'project user']),
  ...rows(`${plural}/restricted`, 'create', 'project', ['admin', 'project admin']),
  ...rows(plural, 'update patch delete', 'one', ['admin', 'project admin', 'owner', 'named']),
  ...rows(plural, 'patch', 'one', ['admin', 'project admin'], { only: 'request', change: 'owner' }),
  // A principal in an access entry cannot grant access, to itself or others.
  ...rows(plural, 'patch', 'one', ['admin', 'project admin', 'owner'], { only: 'request', change: 'access' }),
  ...rows(plural, 'deletecollection', 'project', ['admin', 'project admin']),

  ...rows(plural, 'use', 'one', ['admin', 'project admin', 'owner', 'named'], { only: 'review' }),
  // Without a name, a review reports no permissions that depend on the object.
  ...rows(plural, 'get', 'project', ['admin', 'auditor', 'project admin'], { only: 'review' }),
  ...rows(plural, 'update patch delete', 'project', ['admin', 'project admin'], { only: 'review' }),
  ...rows(plural, 'get', 'all', ['admin', 'auditor'], { only: 'review' }),
  ...rows(plural, 'create update delete deletecollection', 'all', ['admin'], { only: 'review' }),
];

const vci = 'virtualclusterinstances';

export const instanceRows: readonly Row[] = [
  ...commonRows(vci),
  ...rows(`${vci}/kubeconfig`, 'create', 'one', ['admin', 'project admin', 'owner', 'named with use']),
  ...rows(`${vci}/log`, 'get', 'one', ['admin', 'project admin', 'owner', 'named with get']),
  ...rows(`${vci}/credentials`, 'get', 'one', ['admin', 'auditor', 'project admin', 'owner']),
  ...rows(`${vci}/credentials`, 'create', 'one', ['admin', 'project admin', 'owner']),
];

const si = 'spaceinstances';

export const spaceRows: readonly Row[] = [
  ...commonRows(si),
  ...rows(`${si}/kubeconfig`, 'create', 'one', ['admin', 'project admin', 'owner', 'named with use']),
];
