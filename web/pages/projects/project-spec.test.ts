import { describe, expect, it } from 'vitest';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { quotaPatch, quotaUsage } from './project-spec.ts';

function project(spec: NonNullable<Project['spec']>, status: NonNullable<Project['status']> = {}): Project {
  return { apiVersion: 'v1', kind: 'Project', metadata: { name: 'red' }, spec, status };
}

describe('the quotas of a project', () => {
  it('are read as numbers from strings and numbers', () => {
    const quotas = { project: { virtualclusterinstances: 3 }, user: { virtualclusterinstances: '1' } };
    const status = {
      quotas: {
        project: { limit: { virtualclusterinstances: '3' }, used: { virtualclusterinstances: '2' } },
        user: {
          limit: { virtualclusterinstances: '1' },
          used: { bob: { virtualclusterinstances: '1' }, ana: { virtualclusterinstances: '1' } },
        },
      },
    };
    expect(quotaUsage(project({ quotas }, status), 'virtualclusterinstances')).toEqual({
      project: 3,
      user: 1,
      used: 2,
      perOwner: [
        { owner: 'ana', used: 1 },
        { owner: 'bob', used: 1 },
      ],
    });
  });

  it('are undefined without limits', () => {
    expect(quotaUsage(project({}), 'spaceinstances')).toEqual({
      project: undefined,
      user: undefined,
      used: undefined,
      perOwner: [],
    });
  });

  it('are removed with null, and unchanged limits are not sent', () => {
    const none = { project: undefined, user: undefined };
    const clusters = {
      resource: 'virtualclusterinstances',
      before: { project: 3, user: 1 },
      after: { project: 0, user: undefined },
    } as const;
    const spaces = { resource: 'spaceinstances', before: none, after: { ...none, user: 2 } } as const;
    expect(quotaPatch([clusters, spaces])).toEqual({
      spec: {
        quotas: { project: { virtualclusterinstances: 0 }, user: { virtualclusterinstances: null, spaceinstances: 2 } },
      },
    });
    expect(quotaPatch([{ ...spaces, after: none }])).toEqual({ spec: { quotas: {} } });
  });
});
