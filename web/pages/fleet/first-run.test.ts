import { describe, expect, it } from 'vitest';
import { firstRunSteps } from './first-run.ts';

const fresh = { onlineClusters: 1, projects: 1, templates: 1, users: 1, instances: 0 };

describe('the checklist for a new installation', () => {
  it('lists what is done and what remains', () => {
    const open = firstRunSteps(fresh)?.filter(({ isDone }) => !isDone);
    expect(open?.map(({ id }) => id)).toEqual(['instance', 'invite']);
  });

  it('disappears when everything is done, and is absent until that is known', () => {
    expect(firstRunSteps({ ...fresh, users: 2, instances: 1 })).toBeUndefined();
    expect(firstRunSteps({ ...fresh, users: undefined })).toBeUndefined();
  });
});
