import { Link } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import type { CellRenderers } from '../../components/list/table-row.tsx';
import { StatusBadge } from '../../components/object/status-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { type InstanceType, spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { projectColumn, serverColumns } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useCreatableProjects } from '../../data/use-creatable-projects.ts';
import { BulkButtons } from './list/bulk-buttons.tsx';
import { InstanceChangeDialog, type InstanceChangeRequest } from './list/change-dialog.tsx';
import { InstanceMenu } from './list/instance-menu.tsx';

const extraColumns = [projectColumn];
const filters = ['Status', 'Project', 'Cluster', 'Template', 'Owner'];

function cellsOf({ detailPath }: InstanceType): CellRenderers {
  return {
    Name: (row, text) => (
      <Link to={detailPath} params={{ project: projectColumn.text(row), name: text }}>
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
}

/** The page with a live list of all virtual clusters that the caller may see. */
export function InstancesPage() {
  return (
    <InstancesList
      type={virtualClusterType}
      cells={virtualClusterCells}
      about="A virtual cluster is a Kubernetes API of its own. It belongs to a project and runs on a cluster."
      emptyText="A virtual cluster is a Kubernetes API of your own, ready in moments."
    />
  );
}

/** The page with a live list of all spaces that the caller may see. */
export function SpacesPage() {
  return (
    <InstancesList
      type={spaceType}
      cells={spaceCells}
      about="A space is a namespace of a connected cluster that belongs to a project."
      emptyText="A space is a namespace of your own, if you do not need a whole Kubernetes API."
    />
  );
}

const virtualClusterCells = cellsOf(virtualClusterType);
const spaceCells = cellsOf(spaceType);

interface InstancesListProps {
  readonly type: InstanceType;
  readonly cells: CellRenderers;
  readonly about: string;
  readonly emptyText: string;
}

function InstancesList({ type, cells, about, emptyText }: InstancesListProps) {
  const rows = useRows({ kind: type.kind });
  const { known, projects } = useCreatableProjects(type.kind);
  const [request, setRequest] = useState<InstanceChangeRequest>();
  const statusOf = useMemo(() => {
    const column = serverColumns(rows.columns).find(({ name }) => name === 'Status');
    return (row: Row) => column?.text(row) ?? '';
  }, [rows.columns]);
  const rowActions = useCallback(
    (row: Row) => <InstanceMenu type={type} row={row} status={statusOf(row)} onAsk={setRequest} />,
    [type, statusOf],
  );
  const create =
    projects.length === 0 ? undefined : (
      <LinkButton to={type.createPath} leftSection={<Icon name="plus" />}>
        New {type.noun}
      </LinkButton>
    );
  return (
    <>
      <PageHeader title={`${type.title}s`} about={about} actions={create} />
      <ResourceList
        what={`${type.noun}s`}
        rows={rows}
        extraColumns={extraColumns}
        filters={filters}
        cells={cells}
        rowActions={rowActions}
        bulk={(selected, clear) => (
          <BulkButtons kind={type.kind} rows={selected} statusOf={statusOf} onAsk={setRequest} onClear={clear} />
        )}
        empty={{
          title: `No ${type.noun}s yet`,
          text: (
            <>
              <p>{emptyText}</p>
              {known && projects.length === 0 ? (
                <p>
                  You do not have permission to create one in any project. Ask a project admin to add you to a project.
                </p>
              ) : (
                <Command text={`${type.program} create demo --wait`} />
              )}
            </>
          ),
          action: create,
        }}
      />
      {request === undefined ? null : (
        <InstanceChangeDialog type={type} request={request} onClose={() => setRequest(undefined)} />
      )}
    </>
  );
}
