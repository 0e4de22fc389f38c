import { expect, it } from 'vitest';
import { accessKeyKind, ownedAccessKeyKind } from '../api/management/v1/access-key.ts';
import { clusterKind } from '../api/management/v1/cluster.ts';
import { projectKind } from '../api/management/v1/project.ts';
import { spaceInstanceKind } from '../api/management/v1/space-instance.ts';
import { spaceTemplateKind } from '../api/management/v1/space-template.ts';
import { teamKind } from '../api/management/v1/team.ts';
import { userKind } from '../api/management/v1/user.ts';
import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import { apiVersionOf } from '../api/meta.ts';
import { managementApiVersion, namedKinds } from './kinds.ts';

it('the names of the kinds match the API', () => {
  const kinds = [
    virtualClusterInstanceKind,
    spaceInstanceKind,
    projectKind,
    clusterKind,
    virtualClusterTemplateKind,
    spaceTemplateKind,
    userKind,
    teamKind,
    ownedAccessKeyKind,
    accessKeyKind,
  ];
  expect(namedKinds).toMatchObject(
    kinds.map(({ kind, plural, singular, namespaced }) => ({ kind, plural, singular, inProject: namespaced })),
  );
  for (const kind of kinds) expect(apiVersionOf(kind)).toBe(managementApiVersion);
});
