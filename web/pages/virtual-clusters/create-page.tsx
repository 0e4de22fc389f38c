import { Anchor } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useCreatableProjects } from '../../data/use-creatable-projects.ts';
import { CreateForm } from './create/create-form.tsx';
import { CreatedInstance } from './create/created-instance.tsx';

/** The page that creates a virtual cluster and then shows the progress of the creation. */
export function CreatePage() {
  const { project, template, created } = useSearch({ from: '/virtual-clusters/new' });
  if (project !== undefined && created !== undefined) return <CreatedInstance project={project} name={created} />;
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
  const { known, projects, error } = useCreatableProjects();
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!known) return <LoadingIndicator message="Loading projects" />;
  const first = projects.find(({ name }) => name === project) ?? projects[0];
  if (first === undefined) {
    return (
      <div className="card">
        <EmptyState
          title="No project available"
          text="You do not have permission to create virtual clusters in any project. Ask a project admin to add you to a project."
        />
      </div>
    );
  }
  return <CreateForm projects={projects} project={first.name} template={template ?? ''} />;
}
