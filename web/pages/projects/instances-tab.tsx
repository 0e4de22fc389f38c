import { projectNamespace } from '../../../src/api/naming.ts';
import { Icon } from '../../components/icon.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { InstanceList } from '../../components/object/instance-list.tsx';
import type { InstanceType } from '../../data/instance-types.ts';
import { usePermission } from '../../data/permissions.ts';
import { useRows } from '../../data/rows/use-rows.ts';
import { useSeesAll } from '../../data/rows/use-sees-all.ts';

interface InstancesTabProps {
  readonly type: InstanceType;
  readonly project: string;
}

/** A tab with the instances of a type in a project that the caller may see. */
export function InstancesTab({ type, project }: InstancesTabProps) {
  const namespace = projectNamespace(project);
  const rows = useRows({ kind: type.kind, namespace });
  const seesAll = useSeesAll(type.kind, namespace);
  const { allowed: mayCreate } = usePermission({ verb: 'create', kind: type.kind, namespace });
  const { noun, createPath } = type;
  return (
    <InstanceList
      type={type}
      rows={rows}
      common="Project"
      empty={{
        title: seesAll ? `No ${noun}s in this project` : `No ${noun}s that you may see`,
        text: seesAll
          ? `Members of the project create ${noun}s here or on the command line.`
          : `As a member of a project, you see the ${noun}s that you own or that somebody shares with you.`,
        action: mayCreate ? (
          <LinkButton to={createPath} search={{ project }} leftSection={<Icon name="plus" />}>
            New {noun}
          </LinkButton>
        ) : undefined,
      }}
    />
  );
}
