import { Menu } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { RowMenu } from '../../components/list/row-menu.tsx';
import { MenuLink } from '../../components/menu-link.tsx';
import type { KeyAction } from './key-dialogs.tsx';
import { isUserHeld, type KeyWithKind, keySpec } from './key-spec.ts';
import type { KeyPermissions } from './use-key-permissions.ts';

export interface KeyMenuProps extends Pick<KeyWithKind, 'accessKey'> {
  readonly permissions: KeyPermissions;
  onAct(action: KeyAction): void;
}

/** The menu with the actions on one access key of a list. */
export function KeyMenu({ accessKey, permissions, onAct }: KeyMenuProps) {
  const { name = '' } = accessKey.metadata;
  const spec = keySpec(accessKey);
  return (
    <RowMenu label={`Actions for ${name}`}>
      {() => (
        <>
          {permissions.mayCreate && isUserHeld(spec) ? (
            <MenuLink to="/keys/new" search={{ like: name }} leftSection={<Icon name="copy" size={16} />}>
              Duplicate
            </MenuLink>
          ) : null}
          {permissions.mayChange && isUserHeld(spec) ? (
            <Menu.Item leftSection={<Icon name="refresh" size={16} />} onClick={() => onAct('rotate')}>
              Rotate
            </Menu.Item>
          ) : null}
          {permissions.mayChange ? (
            <Menu.Item
              leftSection={<Icon name={spec.disabled === true ? 'check' : 'close'} size={16} />}
              onClick={() => onAct(spec.disabled === true ? 'enable' : 'disable')}
            >
              {spec.disabled === true ? 'Enable' : 'Disable'}
            </Menu.Item>
          ) : null}
          {permissions.mayDelete ? (
            <Menu.Item
              leftSection={<Icon name="trash" size={16} />}
              c="var(--mantine-color-error)"
              onClick={() => onAct('delete')}
            >
              Delete…
            </Menu.Item>
          ) : null}
        </>
      )}
    </RowMenu>
  );
}
