import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import type { CellRenderers } from '../../components/list/table-row.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { projectColumn, serverColumns } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useCreatableProjects } from '../../data/use-creatable-projects.ts';
import { BulkButtons } from './list/bulk-buttons.tsx';
import { InstanceChangeDialog, type InstanceChangeRequest } from './list/change-dialog.tsx';
import { InstanceMenu } from './list/instance-menu.tsx';

const extraColumns = [projectColumn];
const filters = ['Status', 'Project', 'Cluster', 'Template', 'Owner'];

const cells: CellRenderers = {
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

/** The page with a live list of all virtual clusters that the caller may see. */
export function InstancesPage() {
  const rows = useRows({ kind: kinds.instance });
  const { known, projects } = useCreatableProjects();
  const [request, setRequest] = useState<InstanceChangeRequest>();
  const statusOf = useMemo(() => {
    const column = serverColumns(rows.columns).find(({ name }) => name === 'Status');
    return (row: Row) => column?.text(row) ?? '';
  }, [rows.columns]);
  const rowActions = useCallback(
    (row: Row) => <InstanceMenu row={row} status={statusOf(row)} onAsk={setRequest} />,
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
      <PageHeader
        title="Virtual clusters"
        about="A virtual cluster is a Kubernetes API of its own. It belongs to a project and runs on a cluster."
        actions={create}
      />
      <ResourceList
        what="virtual clusters"
        rows={rows}
        extraColumns={extraColumns}
        filters={filters}
        cells={cells}
        rowActions={rowActions}
        bulk={(selected, clear) => (
          <BulkButtons rows={selected} statusOf={statusOf} onAsk={setRequest} onClear={clear} />
        )}
        empty={{
          title: 'No virtual clusters yet',
          text: (
            <>
              <p>A virtual cluster is a Kubernetes API of your own, ready in moments.</p>
              {known && projects.length === 0 ? (
                <p>
                  You do not have permission to create one in any project. Ask a project admin to add you to a project.
                </p>
              ) : (
                <Command text="flotilla create demo --wait" />
              )}
            </>
          ),
          action: create,
        }}
      />
      {request === undefined ? null : <InstanceChangeDialog request={request} onClose={() => setRequest(undefined)} />}
    </>
  );
}
