import { type Row, rows } from './row.ts';

const vci = 'virtualclusterinstances';

/** "list and read", "create", "update, delete", "use it" of completions §8. */
export const instanceRows: readonly Row[] = [
  ...rows(vci, 'list watch', 'all', ['everybody']),
  ...rows(vci, 'list watch', 'project', [
    'admin',
    'auditor',
    'project admin',
    'project user',
    'project viewer',
    'project owner',
    'reads an instance there',
  ]),
  ...rows(vci, 'get', 'one', ['admin', 'auditor', 'project admin', 'owner', 'named']),
  ...rows(`${vci}/status`, 'get', 'one', ['admin', 'auditor', 'project admin', 'owner', 'named with get']),
  // Writes of the status change nothing. Everyone who may write the object may send them.
  ...rows(`${vci}/status`, 'update', 'one', ['admin', 'project admin', 'owner', 'named with update']),
  ...rows(`${vci}/status`, 'patch', 'one', ['admin', 'project admin', 'owner', 'named with patch']),

  ...rows(vci, 'create', 'project', ['admin', 'project admin', 'project user']),
  ...rows(`${vci}/restricted`, 'create', 'project', ['admin', 'project admin']),
  ...rows(vci, 'update patch delete', 'one', ['admin', 'project admin', 'owner', 'named']),
  ...rows(vci, 'patch', 'one', ['admin', 'project admin'], { only: 'request', change: 'owner' }),
  // A principal in an access entry cannot grant access, to itself or others.
  ...rows(vci, 'patch', 'one', ['admin', 'project admin', 'owner'], { only: 'request', change: 'access' }),
  ...rows(vci, 'deletecollection', 'project', ['admin', 'project admin']),

  ...rows(vci, 'use', 'one', ['admin', 'project admin', 'owner', 'named'], { only: 'review' }),
  ...rows(`${vci}/kubeconfig`, 'create', 'one', ['admin', 'project admin', 'owner', 'named with use']),
  ...rows(`${vci}/log`, 'get', 'one', ['admin', 'project admin', 'owner', 'named with get']),

  // Without a name, permissions that depend on the object are not granted.
  ...rows(vci, 'get', 'project', ['admin', 'auditor', 'project admin'], { only: 'review' }),
  ...rows(vci, 'update patch delete', 'project', ['admin', 'project admin'], { only: 'review' }),
  ...rows(vci, 'get', 'all', ['admin', 'auditor'], { only: 'review' }),
  ...rows(vci, 'create update delete deletecollection', 'all', ['admin'], { only: 'review' }),
];
