import { expectNearlyLinearGrowth } from '@flotilla/work-meter/growth.fixture.ts';
import { describe, it } from 'vitest';
import { growingTemplates, templateWork } from './template-growth.fixture.ts';

describe('the work of a template of up to 3 MB grows no faster than n log n', () => {
  it.each(growingTemplates)('%s', async (_name, templateOf) => {
    await expectNearlyLinearGrowth((bytes) => templateWork(templateOf(bytes)));
  });
});
