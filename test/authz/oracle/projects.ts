import type { Relation } from './relations.ts';
import { type Row, rows } from './row.ts';

const members: readonly Relation[] = ['admin', 'auditor', 'project admin', 'project user', 'project viewer', 'owner'];

/** The rows from "create a project" to "import into the project" of completions §8. */
export const projectRows: readonly Row[] = [
  ...rows('projects', 'list watch', 'all', ['everybody']),
  ...rows('projects', 'get', 'one', [...members, 'named']),
  ...rows('projects/status', 'get', 'one', [...members, 'named with get']),
  ...rows('projects/status', 'update', 'one', ['admin', 'project admin', 'owner', 'named with update']),
  ...rows('projects/status', 'patch', 'one', ['admin', 'project admin', 'owner', 'named with patch']),
  // One permission in the table: every reader of the project may read these subresources.
  ...rows('projects/members', 'get', 'one', [...members, 'named with get']),
  ...rows('projects/templates', 'get', 'one', [...members, 'named with get']),
  ...rows('projects/clusters', 'get', 'one', [...members, 'named with get']),
  ...rows('projects/usage', 'get', 'one', [...members, 'named with get']),

  // A list contains the records of the objects that the caller may read; test/api/activity.test.ts checks that.
  ...rows('activityrecords', 'list', 'all', ['everybody']),
  ...rows('activityrecords', 'list', 'project', [
    ...members.filter((one) => one !== 'owner'),
    'project owner',
    'reads an instance there',
  ]),

  ...rows('projectwebhooks', 'list watch', 'all', ['everybody']),
  ...rows('projectwebhooks', 'list watch', 'project', ['admin', 'auditor', 'project admin']),
  ...rows('projectwebhooks', 'get', 'one', ['admin', 'auditor', 'project admin']),
  ...rows('projectwebhooks/status', 'get', 'one', ['admin', 'auditor', 'project admin']),
  ...rows('projectwebhooks/status', 'update patch', 'one', ['admin', 'project admin']),
  ...rows('projectwebhooks', 'create deletecollection', 'project', ['admin', 'project admin']),
  ...rows('projectwebhooks', 'update patch delete', 'one', ['admin', 'project admin']),
  ...rows('projectwebhooks/test', 'create', 'one', ['admin', 'project admin']),

  // With the setting projects.selfService, everybody may create projects. The fixture does not set it.
  ...rows('projects', 'create', 'all', ['admin']),
  ...rows('projects', 'update patch', 'one', ['admin', 'project admin', 'owner', 'named']),
  ...rows('projects', 'patch', 'one', ['admin', 'project admin', 'owner', 'named'], {
    only: 'request',
    change: 'members',
  }),
  ...['allowedClusters', 'allowedTemplates', 'quotas', 'requireTemplate', 'hostIsolation', 'owner', 'access'].flatMap(
    (field) => rows(`projects/spec.${field}`, 'update', 'one', ['admin', 'named'], { change: field }),
  ),
  ...rows('projects', 'delete', 'one', ['admin', 'named']),
  ...rows('projects', 'deletecollection', 'all', ['admin']),
  // The permission depends on the cluster in the body, which a review does not name.
  ...rows('projects/importvirtualcluster', 'create', 'one', ['admin', 'importing admin'], { only: 'request' }),
  ...rows('projects/importspace', 'create', 'one', ['admin', 'importing admin with host access'], { only: 'request' }),

  // An entry of the access list must name the subresource. No request has the verb `use`.
  ...rows('projects/hostaccess', 'use', 'one', ['admin', 'named'], { only: 'review' }),

  ...rows('projects', 'get', 'all', ['admin', 'auditor'], { only: 'review' }),
  ...rows('projects', 'update patch delete', 'all', ['admin'], { only: 'review' }),
];
