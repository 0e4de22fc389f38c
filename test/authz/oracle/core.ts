import { managementGroup } from '../../../src/api/naming.ts';
import type { Relation } from './relations.ts';
import { type Row, rows } from './row.ts';

const core = { group: '' };
const definitions = { group: 'apiextensions.k8s.io' };
const members: readonly Relation[] = ['admin', 'auditor', 'project admin', 'project user', 'project viewer'];

/** The rows of Secrets and ConfigMaps of completions §8: who may list and who may read them. */
function configRows(plural: string, listers: readonly Relation[], readers: readonly Relation[]): readonly Row[] {
  return [
    ...rows(plural, 'list watch', 'all', ['everybody'], core),
    ...rows(plural, 'list watch', 'project', listers, core),
    ...rows(plural, 'get', 'one', readers, core),
    ...rows(plural, 'create', 'project', ['admin', 'project admin', 'project user'], core),
    ...rows(plural, 'update patch delete', 'one', ['admin', 'project admin', 'owner and user'], core),
    ...rows(plural, 'deletecollection', 'project', ['admin', 'project admin'], core),
  ];
}

/**
 * The kinds that every Kubernetes API has. Permissions on namespaces follow their project, permissions on events follow
 * the object of the event.
 */
export const coreRows: readonly Row[] = [
  ...rows('namespaces', 'list watch', 'all', ['everybody'], core),
  ...rows('namespaces', 'get', 'one', ['admin', 'auditor', 'reads the project'], core),
  ...rows('namespaces/status', 'get', 'one', ['admin', 'auditor', 'reads the project'], core),

  ...['', 'events.k8s.io'].flatMap((group) => [
    ...rows('events', 'list watch', 'all', ['everybody'], { group }),
    ...rows(
      'events',
      'list watch',
      'project',
      [
        'admin',
        'auditor',
        'project admin',
        'project user',
        'project viewer',
        'project owner',
        'reads an instance there',
      ],
      { group },
    ),
    ...rows('events', 'get', 'one', ['admin', 'auditor', 'project admin, not of keys', 'reads what it is about'], {
      group,
    }),
    ...rows('events', 'create deletecollection', 'project', ['admin'], { group }),
    ...rows('events', 'update patch delete', 'one', ['admin'], { group }),
  ]),

  // The definitions of the served kinds have the same permissions as discovery.
  ...rows('customresourcedefinitions', 'list watch', 'all', ['everybody'], definitions),
  ...rows('customresourcedefinitions', 'get', 'one', ['everybody'], definitions),
  ...rows('customresourcedefinitions/status', 'get', 'one', ['everybody'], definitions),

  ...rows('leases', 'list watch', 'all', ['admin'], { group: 'coordination.k8s.io' }),
  ...rows('leases', 'list watch create deletecollection', 'project', ['admin'], { group: 'coordination.k8s.io' }),
  ...rows('leases', 'get update patch delete', 'one', ['admin'], { group: 'coordination.k8s.io' }),

  ...configRows('secrets', ['admin', 'project admin', 'project user'], ['admin', 'project admin', 'owner and user']),
  ...configRows('configmaps', members, members),
];

/** Access reviews: everybody may review themselves, admins may review others. */
export const reviewRows: readonly Row[] = [
  ...['authorization.k8s.io', managementGroup].flatMap((group) => [
    ...rows('selfsubjectaccessreviews', 'create', 'all', ['everybody'], { group }),
    ...rows('selfsubjectrulesreviews', 'create', 'all', ['everybody'], { group }),
    ...rows('subjectaccessreviews', 'create', 'all', ['admin'], { group }),
  ]),
  ...rows('localsubjectaccessreviews', 'create', 'project', ['admin'], { group: 'authorization.k8s.io' }),
  ...rows('notificationreviews', 'create', 'all', ['everybody']),
  ...rows('selfsubjectreviews', 'create', 'all', ['everybody'], { group: 'authentication.k8s.io' }),

  // The matrix omits subjects; another test covers which subjects a caller may review.
  ...rows('effectiveaccessreviews', 'create', 'all', ['everybody'], { unscoped: true }),

  ...rows('users', 'impersonate', 'all', ['admin'], { group: '', only: 'review' }),
  ...rows('groups', 'impersonate', 'all', ['admin'], { group: '', only: 'review' }),
];

/** Kinds without objects, which everybody may read. */
export const emptyKindRows: readonly Row[] = [
  ...['features', 'licenses', 'configs'].flatMap((resource) => [
    ...rows(resource, 'list', 'all', ['everybody']),
    ...rows(resource, 'get', 'one', ['everybody']),
  ]),
];

/** The usage of the whole installation, and the prices. */
export const usageRows: readonly Row[] = [
  ...rows('usages', 'list', 'all', ['admin', 'auditor']),
  ...rows('usages', 'get', 'one', ['admin', 'auditor']),
  ...rows('pricelists', 'list watch', 'all', ['admin', 'auditor']),
  ...rows('pricelists', 'get', 'one', ['admin', 'auditor']),
  ...rows('pricelists', 'create deletecollection', 'all', ['admin']),
  ...rows('pricelists', 'update patch delete', 'one', ['admin']),
];

/** Non-resource paths below the management API; a star stands for any suffix. */
export const pathRows: readonly Row[] = [
  ...['/', '/api', '/api/*', '/apis', '/apis/*', '/openapi/*', '/version'].flatMap((path) =>
    rows(path, 'get', 'path', ['everybody']),
  ),
  ...['/healthz', '/healthz/*', '/livez', '/livez/*', '/readyz', '/readyz/*'].flatMap((path) =>
    rows(path, 'get', 'path', ['everybody']),
  ),
  ...rows('/metrics', 'get', 'path', ['admin', 'auditor']),
];
