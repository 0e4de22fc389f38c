import { type Row, rows } from './row.ts';

/** The rows of users and teams: "read", "write" of completions §8, and what §7 reserves for admins. */
export const userRows: readonly Row[] = [
  ...rows('users', 'list watch', 'all', ['everybody']),
  ...rows('users', 'get', 'one', ['admin', 'auditor', 'self', 'fellow member', 'named']),
  ...rows('users/status', 'get', 'one', ['admin', 'auditor', 'self', 'fellow member', 'named with get']),
  ...rows('users/status', 'update', 'one', ['admin', 'self', 'named with update']),
  ...rows('users/status', 'patch', 'one', ['admin', 'self', 'named with patch']),
  ...rows('users/accesskeys', 'get', 'one', ['admin', 'auditor', 'self']),
  ...rows('users/offboard', 'create', 'one', ['admin'], { unscoped: true }),
  ...rows('users/removesecondfactor', 'create', 'one', ['admin'], { unscoped: true }),
  ...rows('users/resetpassword', 'create', 'one', ['admin'], { unscoped: true }),
  ...rows('users', 'create deletecollection', 'all', ['admin']),
  ...rows('users', 'update patch', 'one', ['admin', 'self', 'named']),
  ...rows('users', 'patch', 'one', ['admin', 'self'], { only: 'request', change: 'password', unscoped: true }),
  ...['groups', 'subject', 'disabled', 'allowedCIDRs', 'identities'].flatMap((change) =>
    rows('users', 'patch', 'one', ['admin'], { only: 'request', change }),
  ),
  ...rows('users', 'delete', 'one', ['admin', 'named']),
  ...rows('users', 'get', 'all', ['admin', 'auditor'], { only: 'review' }),
  ...rows('users', 'update patch delete', 'all', ['admin'], { only: 'review' }),
];

export const teamRows: readonly Row[] = [
  ...rows('teams', 'list watch', 'all', ['everybody']),
  ...rows('teams', 'get', 'one', ['admin', 'auditor', 'owner', 'in the team', 'fellow member', 'named']),
  ...rows('teams/accesskeys', 'get', 'one', ['admin', 'auditor', 'in the team']),
  ...rows('teams', 'create deletecollection', 'all', ['admin']),
  ...rows('teams', 'update patch', 'one', ['admin', 'owner', 'named']),
  ...['users', 'groups'].flatMap((change) => rows('teams', 'patch', 'one', ['admin'], { only: 'request', change })),
  ...rows('teams', 'delete', 'one', ['admin', 'named']),
  ...rows('teams', 'get', 'all', ['admin', 'auditor'], { only: 'review' }),
  ...rows('teams', 'update patch delete', 'all', ['admin'], { only: 'review' }),
];
