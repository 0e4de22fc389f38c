import type { ActivityQuery } from '../../data/activity.ts';
import { Panel } from '../panel.tsx';
import { ActivityList } from './activity-list.tsx';

/** The tab with the activity of an object. */
export function ActivityTab({ query }: { readonly query: ActivityQuery }) {
  return (
    <Panel title="Activity">
      <ActivityList query={query} />
    </Panel>
  );
}
