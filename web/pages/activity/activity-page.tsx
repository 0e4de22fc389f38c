import { ActivityList } from '../../components/object/activity-list.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel } from '../../components/panel.tsx';

/** The page with the activity of all objects that the user may read. */
export function ActivityPage() {
  return (
    <>
      <PageHeader
        title="Activity"
        about="Who created, changed, shared or deleted something, and what slept, woke or failed, in the last 30 days."
      />
      <Panel title="Newest first">
        <ActivityList query={{}} />
      </Panel>
    </>
  );
}
