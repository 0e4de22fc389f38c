import { Link } from '@tanstack/react-router';
import type { InstanceType } from '../../data/instance-types.ts';
import { type ListColumn, projectColumn } from '../../data/rows/list-columns.ts';
import type { RowsWithRetry } from '../../data/rows/use-rows.ts';
import type { EmptyStateProps } from '../empty-state.tsx';
import { ResourceList } from '../list/resource-list.tsx';
import { StatusBadge } from './status-badge.tsx';

export interface InstanceListProps {
  readonly type: InstanceType;
  readonly rows: RowsWithRetry;
  /** The column that is hidden because all instances in the list have the same value. */
  readonly common: 'Cluster' | 'Project';
  readonly empty: EmptyStateProps;
}

const projectColumns: readonly ListColumn[] = [projectColumn];
const noColumns: readonly ListColumn[] = [];
const hidden = { Cluster: ['Cluster'], Project: [] } as const;
const filters = { Cluster: ['Status', 'Project'], Project: ['Status', 'Cluster', 'Owner'] } as const;

/** A list of instances on the page of their cluster or project. */
export function InstanceList({ type, rows, common, empty }: InstanceListProps) {
  return (
    <ResourceList
      what={`${type.noun}s`}
      rows={rows}
      extraColumns={common === 'Project' ? noColumns : projectColumns}
      hiddenColumns={hidden[common]}
      filters={filters[common]}
      cells={{
        Name: (row, text) => (
          <Link to={type.detailPath} params={{ project: projectColumn.text(row), name: text }}>
            {text}
          </Link>
        ),
        Status: (_, text) => <StatusBadge status={text} />,
      }}
      empty={empty}
    />
  );
}
