import { describe, expect, it } from 'vitest';
import { accessSearch, questionOf } from './access-search.ts';

describe('the question of the page about effective access', () => {
  it.each([
    [{ subject: 'User/anna' }, { user: 'anna' }],
    [
      { subject: 'Team/ops', project: 'red' },
      { team: 'ops', project: 'red' },
    ],
    [{ subject: 'AccessKey/ci' }, { accessKey: 'ci' }],
    [
      { by: 'object', object: 'virtual-cluster/red/shop' },
      { virtualClusterInstance: { project: 'red', name: 'shop' } },
    ],
    [{ by: 'object', object: 'space/red/corner' }, { spaceInstance: { project: 'red', name: 'corner' } }],
    [{ by: 'object', object: 'cluster/far' }, { object: { resource: 'clusters', name: 'far' } }],
    [{ by: 'object', object: 'project/red', subject: 'User/anna' }, { object: { resource: 'projects', name: 'red' } }],
  ])('comes from the URL parameters %j', (search, question) => {
    expect(questionOf(accessSearch(search))).toEqual(question);
  });

  it.each([
    [{}],
    [{ subject: 'User/' }],
    [{ subject: 'Robot/x' }],
    [{ subject: 7 }],
    [{ by: 'object' }],
    [{ by: 'object', object: 'virtual-cluster/shop' }],
    [{ by: 'object', object: 'secret/red/x' }],
  ])('is absent for %j', (search) => {
    expect(questionOf(accessSearch(search))).toBeUndefined();
  });
});
