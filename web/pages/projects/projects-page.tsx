import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Project } from '../../../src/api/management/v1/project.ts';
import { Command } from '../../components/command.tsx';
import { Icon } from '../../components/icon.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { useCreateDialog } from '../../components/list/use-create-dialog.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { kinds } from '../../data/kind-ref.ts';
import { displayNameColumn } from '../../data/objects/display-name.ts';
import { usePermission } from '../../data/permissions.ts';
import type { ListColumn } from '../../data/rows/list-columns.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { CreateProject } from './create-project.tsx';
import { projectSpec } from './project-spec.ts';
import { useVisibleCounts } from './use-visible-counts.ts';

const leaveOut = [displayNameColumn.name];

/** The page that lists the projects that the caller may see. */
export function ProjectsPage() {
  const rows = useRows({ kind: kinds.project, objects: true });
  const instances = useRows({ kind: kinds.instance });
  const spaces = useRows({ kind: kinds.space });
  const { allowed: mayCreate } = usePermission({ verb: 'create', kind: kinds.project });
  const creation = useCreateDialog();
  const counts = useVisibleCounts(kinds.instance, rows.rows, instances);
  const spaceCounts = useVisibleCounts(kinds.space, rows.rows, spaces);
  const extraColumns = useMemo(
    () => [
      displayNameColumn,
      numberColumn('Virtual Clusters', 'Virtual clusters in this project that you can see.', counts),
      numberColumn('Spaces', 'Spaces in this project that you can see.', spaceCounts),
      numberColumn(
        'Members',
        'Users and teams with a role in this project.',
        ({ object }) => projectSpec(object).members?.length ?? 0,
      ),
    ],
    [counts, spaceCounts],
  );
  const create = mayCreate ? (
    <Button onClick={creation.open} leftSection={<Icon name="plus" />}>
      New project
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader
        title="Projects"
        about="A project groups members, their virtual clusters and their spaces. It has quotas, and lists of allowed clusters and templates."
        actions={create}
      />
      <ResourceList
        what="projects"
        rows={rows}
        extraColumns={extraColumns}
        hiddenColumns={leaveOut}
        cells={{
          Name: (_, text) => (
            <Link to="/projects/$project" params={{ project: text }}>
              {text}
            </Link>
          ),
        }}
        empty={
          mayCreate
            ? {
                title: 'No projects yet',
                text: (
                  <>
                    A project contains the virtual clusters of people who work together. Create one here or on the
                    command line:
                    <Command text="flotilla project create payments" />
                  </>
                ),
                action: create,
              }
            : {
                title: 'No projects',
                text: 'You are not a member of any project. Ask an administrator to add you to one.',
              }
        }
      />
      {creation.isOpen && mayCreate ? <CreateProject onClose={creation.close} /> : null}
    </>
  );
}

function numberColumn(
  name: string,
  about: string,
  count: (row: Row<Project>) => number | undefined,
): ListColumn<Project> {
  return { name, about, isWide: false, text: (row) => String(count(row) ?? ''), rank: (row) => count(row) ?? -1 };
}
