import { Menu } from '@mantine/core';
import { Icon } from '../../../components/icon.tsx';
import { RowMenu } from '../../../components/list/row-menu.tsx';
import { MenuLink } from '../../../components/menu-link.tsx';
import type { InstanceType } from '../../../data/instance-types.ts';
import type { Row } from '../../../data/rows/table-rows.ts';
import { useInstancePermissions } from '../detail/use-instance-permissions.ts';
import type { InstanceChangeRequest } from './change-dialog.tsx';
import { instanceChanges, projectOf } from './instance-change.ts';

interface InstanceMenuProps {
  readonly type: InstanceType;
  readonly row: Row;
  readonly status: string;
  onAsk(request: InstanceChangeRequest): void;
}

export function InstanceMenu(props: InstanceMenuProps) {
  return <RowMenu label={`Actions for ${props.row.metadata.name ?? ''}`}>{() => <InstanceItems {...props} />}</RowMenu>;
}

/** The items of the menu. They are rendered only when the menu opens, so permissions are not checked earlier. */
function InstanceItems({ type, row, status, onAsk }: InstanceMenuProps) {
  const { namespace = '', name = '' } = row.metadata;
  const permissions = useInstancePermissions({ type, namespace, name });
  const params = { project: projectOf(row), name };
  const allowed = { patch: permissions.canChange, use: permissions.canUse, delete: permissions.canDelete };
  const changes = instanceChanges.filter(({ verb, appliesTo }) => appliesTo(status) && allowed[verb]);
  return (
    <>
      <MenuLink to={type.detailPath} params={params} leftSection={<Icon name="clusters" size={16} />}>
        Open
      </MenuLink>
      {permissions.canConnect ? (
        <MenuLink
          to={type.detailPath}
          params={params}
          search={{ tab: 'connect' }}
          leftSection={<Icon name="external" size={16} />}
        >
          Connect
        </MenuLink>
      ) : null}
      {type.hasExplorer && permissions.canUse && status === 'Ready' ? (
        <MenuLink
          to="/virtual-clusters/$project/$name/inside"
          params={params}
          leftSection={<Icon name="search" size={16} />}
        >
          Open explorer
        </MenuLink>
      ) : null}
      {changes.length === 0 ? null : <Menu.Divider />}
      {changes.map((change) => (
        <Menu.Item
          key={change.label}
          leftSection={<Icon name={change.icon} size={16} />}
          {...(change.danger ? { c: 'var(--mantine-color-error)' } : {})}
          onClick={() => onAsk({ change, rows: [row] })}
        >
          {change.label}
          {change.danger ? '…' : ''}
        </Menu.Item>
      ))}
    </>
  );
}
