import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { CellDrawings } from '../../components/table-row.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { projectColumn, serverColumns } from '../../data/list-columns.ts';
import type { Row } from '../../data/table-rows.ts';
import { useOpenProjects } from '../../data/use-open-projects.ts';
import { useRows } from '../../data/use-rows.ts';
import { BulkButtons } from './list/bulk-buttons.tsx';
import { type AskedChange, ChangeDialog } from './list/change-dialog.tsx';
import { InstanceMenu } from './list/instance-menu.tsx';

const extraColumns = [projectColumn];
const filters = ['Status', 'Project', 'Cluster', 'Template', 'Owner'];

const cells: CellDrawings = {
  Name: (row, text) => (
    <Link to="/virtual-clusters/$project/$name" params={{ project: projectColumn.text(row), name: text }}>
      {text}
    </Link>
  ),
  Project: (_, text) => (
    <Link to="/projects/$project" params={{ project: text }}>
      {text}
    </Link>
  ),
  Status: (_, text) => <StatusBadge status={text} />,
};

/** All virtual clusters that one may see, as they are now. */
export function InstancesPage() {
  const rows = useRows({ kind: kinds.instance });
  const { known, projects } = useOpenProjects();
  const [asked, setAsked] = useState<AskedChange>();
  const statusOf = useMemo(() => {
    const column = serverColumns(rows.columns).find(({ name }) => name === 'Status');
    return (row: Row) => column?.text(row) ?? '';
  }, [rows.columns]);
  const rowActions = useCallback(
    (row: Row) => <InstanceMenu row={row} status={statusOf(row)} onAsk={setAsked} />,
    [statusOf],
  );
  const create =
    projects.length === 0 ? undefined : (
      <LinkButton to="/virtual-clusters/new" leftSection={<Icon name="plus" />}>
        New virtual cluster
      </LinkButton>
    );
  return (
    <>
      <PageHeader title="Virtual clusters" actions={create} />
      <ResourceList
        what="virtual clusters"
        rows={rows}
        extraColumns={extraColumns}
        filters={filters}
        cells={cells}
        rowActions={rowActions}
        bulk={(selected, clear) => <BulkButtons rows={selected} statusOf={statusOf} onAsk={setAsked} onClear={clear} />}
        empty={{
          title: 'No virtual clusters yet',
          text: (
            <>
              <p>A virtual cluster is a whole Kubernetes API of your own. It takes a moment to make one.</p>
              {known && projects.length === 0 ? (
                <p>You are in no project in which you may make one. Whoever looks after a project can add you to it.</p>
              ) : (
                <Command text="flotilla create demo --wait" />
              )}
            </>
          ),
          action: create,
        }}
      />
      {asked === undefined ? null : <ChangeDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
