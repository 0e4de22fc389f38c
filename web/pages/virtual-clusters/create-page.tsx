import { Anchor } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Waiting } from '../../components/waiting.tsx';
import { useOpenProjects } from '../../data/use-open-projects.ts';
import { CreateForm } from './create/create-form.tsx';
import { MadeInstance } from './create/made-instance.tsx';

/** Creates a virtual cluster and then shows its progress. */
export function CreatePage() {
  const { project, template, created } = useSearch({ from: '/virtual-clusters/new' });
  if (project !== undefined && created !== undefined) return <MadeInstance project={project} name={created} />;
  return (
    <>
      <PageHeader
        title="New virtual cluster"
        about="A Kubernetes API of your own, created from a template."
        above={<Back />}
      />
      <Projects project={project} template={template} />
    </>
  );
}

function Back() {
  return (
    <Anchor component={Link} to="/virtual-clusters" size="sm">
      Virtual clusters
    </Anchor>
  );
}

interface ProjectsProps {
  readonly project: string | undefined;
  readonly template: string | undefined;
}

function Projects({ project, template }: ProjectsProps) {
  const { known, projects, error } = useOpenProjects();
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!known) return <Waiting message="Loading projects" />;
  const first = projects.find(({ name }) => name === project) ?? projects[0];
  if (first === undefined) {
    return (
      <div className="card">
        <EmptyState
          title="No project available"
          text="You may not create virtual clusters in any project. Ask a project administrator to add you."
        />
      </div>
    );
  }
  return <CreateForm projects={projects} project={first.name} template={template ?? ''} />;
}
