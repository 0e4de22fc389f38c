import type { UsageOwner } from '../../data/recorded-usage.ts';
import { lazyComponent } from '../lazy-component.tsx';

/** The usage of an object. Its script is loaded when it is first shown. */
export const UsageTab = lazyComponent<{ readonly owner: UsageOwner }>(
  async () => (await import('./usage-view.tsx')).UsageView,
  'Loading usage',
);
