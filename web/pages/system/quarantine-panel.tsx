import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { quarantinedReason } from '../../../src/api/quarantined-reason.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SimpleTable } from '../../components/list/simple-table.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { LiftQuarantine } from '../../components/object/lift-quarantine.tsx';
import { Panel } from '../../components/panel.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { getObject } from '../../data/objects/objects.ts';
import { columnText } from '../../data/rows/fleet-counts.ts';
import { projectColumn } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';

/**
 * The maximum number of rows. It is limited because the page sends a request for each row, to read the reason from the
 * object.
 */
const maxShown = 50;

/** A panel with the virtual clusters that the server quarantined, the reasons, and a button that lifts the quarantine. */
export function QuarantinePanel() {
  const instances = useRows({ kind: kinds.instance });
  const statusOf = columnText(instances, 'Status');
  const found = instances.rows.filter((row) => statusOf(row) === quarantinedReason);
  return (
    <Panel title="Quarantined virtual clusters">
      <Text size="sm" c="dimmed" mb="md">
        The server quarantines a virtual cluster that has repeatedly stalled its worker thread. It serves no requests,
        and its data is kept.
      </Text>
      {instances.state === 'refused' ? <ErrorNotice error={instances.error} onRetry={instances.retry} /> : null}
      {instances.state === 'loading' ? <LoadingIndicator message="Loading virtual clusters" /> : null}
      {instances.state === 'live' && found.length === 0 ? (
        <Text size="sm">No virtual cluster is quarantined.</Text>
      ) : null}
      {found.length === 0 ? null : (
        <SimpleTable
          label="Reasons for quarantine"
          head={['Virtual cluster', 'Project', 'Reason', '']}
          rows={found.slice(0, maxShown).map((row) => ({ key: row.key, cells: cellsOf(row) }))}
        />
      )}
      {found.length > maxShown ? (
        <Text size="sm" c="dimmed" mt="sm">
          And {found.length - maxShown} more. Filter the list of virtual clusters by the status Quarantined.
        </Text>
      ) : null}
    </Panel>
  );
}

function cellsOf(row: Row) {
  const project = projectColumn.text(row);
  const { name = '' } = row.metadata;
  return [
    <Link key="name" to="/virtual-clusters/$project/$name" params={{ project, name }}>
      {name}
    </Link>,
    <Link key="project" to="/projects/$project" params={{ project }}>
      {project}
    </Link>,
    <Reason key="reason" row={row} />,
    <Lift key="lift" row={row} />,
  ];
}

function useInstance({ key, metadata: { namespace, name = '' } }: Row) {
  return useQuery({
    queryKey: ['quarantined', key],
    queryFn: async ({ signal }) => await getObject(kinds.instance, { namespace, name }, { signal }),
  });
}

function Reason({ row }: { readonly row: Row }) {
  return <>{useInstance(row).data?.status?.message ?? '…'}</>;
}

function Lift({ row }: { readonly row: Row }) {
  const { data } = useInstance(row);
  return data === undefined ? null : <LiftQuarantine instance={data} />;
}
