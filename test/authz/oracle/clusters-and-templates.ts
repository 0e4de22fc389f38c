import { type Row, rows } from './row.ts';

/** The rows of clusters and templates: "read", "write", "use a connected cluster itself" of completions §8. */
function placeRows(plural: string): readonly Row[] {
  return [
    ...rows(plural, 'list watch', 'all', ['everybody']),
    ...rows(plural, 'get', 'one', ['admin', 'auditor', 'member where it is allowed', 'owner', 'named']),
    ...rows(`${plural}/status`, 'get', 'one', [
      'admin',
      'auditor',
      'member where it is allowed',
      'owner',
      'named with get',
    ]),
    ...rows(`${plural}/status`, 'update', 'one', ['admin', 'owner', 'named with update']),
    ...rows(`${plural}/status`, 'patch', 'one', ['admin', 'owner', 'named with patch']),
    ...rows(plural, 'create deletecollection', 'all', ['admin']),
    // The owner may change display fields.
    ...rows(plural, 'update patch', 'one', ['admin', 'owner', 'named']),
    // Write access does not include permission to grant or revoke access to the object.
    ...rows(`${plural}/spec.access`, 'update', 'one', ['admin', 'named'], { change: 'access' }),
    ...rows(plural, 'delete', 'one', ['admin', 'named']),
    ...rows(plural, 'get', 'all', ['admin', 'auditor'], { only: 'review' }),
    ...rows(plural, 'update patch delete', 'all', ['admin'], { only: 'review' }),
  ];
}

export const clusterRows: readonly Row[] = [
  ...placeRows('clusters'),
  ...rows('clusters', 'use', 'one', ['admin', 'named'], { only: 'review' }),
  // The import candidates are visible to callers who may use the cluster.
  ...rows('clusters/virtualclusters', 'get', 'one', ['admin', 'auditor', 'named', 'named with use']),
  // The usage of a cluster includes the usage of all projects on it.
  ...rows('clusters/usage', 'get', 'one', ['admin', 'auditor', 'owner', 'named']),
  ...rows('clusters/accesskey', 'create', 'one', ['admin']),
  ...rows('clusters/jointoken', 'create', 'one', ['admin']),
];

function rowsOfTemplates(plural: string): readonly Row[] {
  return [...placeRows(plural), ...rows(`${plural}/hostaccess`, 'use', 'one', ['admin', 'named'], { only: 'review' })];
}

export const templateRows = rowsOfTemplates('virtualclustertemplates');

export const spaceTemplateRows = rowsOfTemplates('spacetemplates');
