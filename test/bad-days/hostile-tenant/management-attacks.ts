import { projectRoles } from '../../../src/api/naming.ts';
import { apiRoot } from '../api-caller.ts';
import type { Json } from '../corpus/bad-request.ts';
import { type Attack, numbered, repeat } from './attack.ts';
import { managementApi } from './tenant.ts';

/* Large objects of the management API. They are written and reconciled on the main thread. */

const labels = Object.fromEntries(numbered(9_000, (number) => [`label-${number}`, 'value']));

const createInstances = (times: number, prefix: string, spec: Json, metadata: { [name: string]: Json } = {}) =>
  repeat({ times, atOnce: 4 }, ({ instances }, number) => ({
    method: 'POST',
    path: instances,
    body: { metadata: { name: `${prefix}-${number}`, ...metadata }, spec },
  }));

const member = (name: string) => ({ kind: 'User', name, clusterRole: projectRoles.user });
const strangers = numbered(14_000, (number) => member(`stranger-${number}`));

export const managementAttacks: readonly Attack[] = [
  {
    name: 'instances with a description of 2.9 MB',
    run: createInstances(8, 'described', { description: 'x'.repeat(2_900_000) }),
    expected: [{ status: 422, text: /spec\.description: Too long/ }],
  },
  {
    name: 'instances whose template adds 9,000 labels',
    run: createInstances(8, 'labels', { template: { metadata: { labels } } }),
    expected: [{ status: 422, text: /must have at most 500 items/ }],
  },
  {
    name: 'instances with 9,000 labels of their own',
    run: createInstances(8, 'own-labels', {}, { labels }),
    expected: [{ status: 422, text: /may have at most 500 labels/ }],
  },
  {
    name: 'instances with a spec of 1 MB',
    run: createInstances(4, 'objects', { template: { objects: '#'.repeat(1_000_000) } }),
    expected: [{ status: 201 }],
    isLong: true,
  },
  {
    name: 'instances whose template of 100 bytes renders 1 MB',
    run: createInstances(8, 'rendered', {
      template: {
        helmRelease: { values: '{{ $s := "x" }}{{ range 19 }}{{ $s = printf "%s%s" $s $s }}{{ end }}{{ $s }}' },
      },
    }),
    expected: [{ status: 201 }],
    isLong: true,
  },
  {
    name: 'kubeconfigs for an address with a million slashes',
    run: repeat({ times: 8, atOnce: 4 }, ({ instances, name }) => ({
      method: 'POST',
      path: `${instances}/${name}/kubeconfig`,
      body: { spec: { server: `https://address${'/'.repeat(1_000_000)}x` } },
    })),
    expected: [{ status: 422, text: /spec\.server: Too long/ }],
  },
  {
    name: 'a project with 14,000 members',
    run: repeat({ times: 8, atOnce: 2 }, ({ name }) => ({
      method: 'PATCH',
      path: `${apiRoot}${managementApi}/projects/${name}`,
      contentType: 'application/merge-patch+json',
      body: { spec: { members: [{ ...member(name), clusterRole: projectRoles.admin }, ...strangers] } },
    })),
    expected: [{ status: 422, text: /may have at most 2000 members/ }],
  },
];
