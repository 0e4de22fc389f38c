import { managementGroup } from '../../../src/api/naming.ts';
import { type Row, rows } from './row.ts';

const core = { group: '' };

/** The kinds that every Kubernetes API has: namespaces follow their project, events follow their instance. */
export const coreRows: readonly Row[] = [
  ...rows('namespaces', 'list watch', 'all', ['everybody'], core),
  ...rows('namespaces', 'get', 'one', ['admin', 'reads the project'], core),
  ...rows('namespaces/status', 'get', 'one', ['admin', 'reads the project'], core),
  ...rows('namespaces/status', 'update patch', 'one', [], core),

  ...['', 'events.k8s.io'].flatMap((group) => [
    ...rows('events', 'list watch', 'all', ['everybody'], { group }),
    ...rows(
      'events',
      'list watch',
      'project',
      ['admin', 'project admin', 'project user', 'project viewer', 'project owner', 'reads an instance there'],
      { group },
    ),
    ...rows('events', 'get', 'one', ['admin', 'project admin', 'reads what it is about'], { group }),
    ...rows('events', 'create deletecollection', 'project', ['admin'], { group }),
    ...rows('events', 'update patch delete', 'one', ['admin'], { group }),
  ]),

  ...rows('leases', 'list watch', 'all', ['admin'], { group: 'coordination.k8s.io' }),
  ...rows('leases', 'list watch create deletecollection', 'project', ['admin'], { group: 'coordination.k8s.io' }),
  ...rows('leases', 'get update patch delete', 'one', ['admin'], { group: 'coordination.k8s.io' }),
];

/** Access reviews: everybody about themselves, admins about others. */
export const reviewRows: readonly Row[] = [
  ...['authorization.k8s.io', managementGroup].flatMap((group) => [
    ...rows('selfsubjectaccessreviews', 'create', 'all', ['everybody'], { group }),
    ...rows('selfsubjectrulesreviews', 'create', 'all', ['everybody'], { group }),
    ...rows('subjectaccessreviews', 'create', 'all', ['admin'], { group }),
  ]),
  ...rows('localsubjectaccessreviews', 'create', 'project', ['admin'], { group: 'authorization.k8s.io' }),
  ...rows('selfsubjectreviews', 'create', 'all', ['everybody'], { group: 'authentication.k8s.io' }),

  ...rows('users', 'impersonate', 'all', ['admin'], { group: '', only: 'review' }),
  ...rows('groups', 'impersonate', 'all', ['admin'], { group: '', only: 'review' }),
];

/** Non-resource paths below the management API; a star stands for any suffix. */
export const pathRows: readonly Row[] = [
  ...['/', '/api', '/api/*', '/apis', '/apis/*', '/openapi/*', '/version'].flatMap((path) =>
    rows(path, 'get', 'path', ['everybody']),
  ),
  ...['/healthz', '/healthz/*', '/livez', '/livez/*', '/readyz', '/readyz/*'].flatMap((path) =>
    rows(path, 'get', 'path', ['everybody']),
  ),
  ...rows('/metrics', 'get', 'path', ['admin']),
];
