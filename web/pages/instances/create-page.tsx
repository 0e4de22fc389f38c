import { useSearch } from '@tanstack/react-router';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LoadingIndicator } from '../../components/loading-indicator.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { type InstanceType, spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { useCreatableProjects } from '../../data/use-creatable-projects.ts';
import { BackToList } from './back-to-list.tsx';
import { CreateForm } from './create/create-form.tsx';
import { CreatedInstance } from './create/created-instance.tsx';

/** The page that creates a virtual cluster and then shows the progress of the creation. */
export function CreatePage() {
  const search = useSearch({ from: '/virtual-clusters/new' });
  return (
    <CreateInstance
      type={virtualClusterType}
      about="A Kubernetes API of your own, created from a template."
      {...search}
    />
  );
}

/** The page that creates a space and then shows the progress of the creation. */
export function CreateSpacePage() {
  const search = useSearch({ from: '/spaces/new' });
  return <CreateInstance type={spaceType} about="A namespace of your own on a connected cluster." {...search} />;
}

interface CreateInstanceProps {
  readonly type: InstanceType;
  readonly about: string;
  readonly project?: string | undefined;
  readonly template?: string | undefined;
  readonly created?: string | undefined;
}

function CreateInstance({ type, about, project, template, created }: CreateInstanceProps) {
  if (project !== undefined && created !== undefined) {
    return <CreatedInstance type={type} project={project} name={created} />;
  }
  return (
    <>
      <PageHeader title={`New ${type.noun}`} about={about} above={<BackToList type={type} />} />
      <Projects type={type} project={project} template={template} />
    </>
  );
}

interface ProjectsProps {
  readonly type: InstanceType;
  readonly project: string | undefined;
  readonly template: string | undefined;
}

function Projects({ type, project, template }: ProjectsProps) {
  const { known, projects, error } = useCreatableProjects(type.kind);
  if (error !== undefined) return <ErrorNotice error={error} />;
  if (!known) return <LoadingIndicator message="Loading projects" />;
  const first = projects.find(({ name }) => name === project) ?? projects[0];
  if (first === undefined) {
    return (
      <div className="card">
        <EmptyState
          title="No project available"
          text={`You do not have permission to create ${type.noun}s in any project. Ask a project admin to add you to a project.`}
        />
      </div>
    );
  }
  return <CreateForm type={type} projects={projects} project={first.name} template={template ?? ''} />;
}
