import { Menu } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { MenuLink } from '../../components/menu-link.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import type { KeyAction } from './key-dialogs.tsx';
import { hasOwnValue, type KeyAt, keySpec } from './key-spec.ts';
import type { KeyRights } from './use-key-rights.ts';

export interface KeyMenuProps extends Pick<KeyAt, 'accessKey'> {
  readonly permissions: KeyRights;
  onAct(action: KeyAction): void;
}

/** The action menu of a key in a list. */
export function KeyMenu({ accessKey, permissions, onAct }: KeyMenuProps) {
  const { name = '' } = accessKey.metadata;
  const spec = keySpec(accessKey);
  return (
    <RowMenu label={`Actions for ${name}`}>
      {() => (
        <>
          {permissions.mayCreate && hasOwnValue(spec) ? (
            <MenuLink to="/keys/new" search={{ like: name }} leftSection={<Icon name="copy" size={16} />}>
              Duplicate
            </MenuLink>
          ) : null}
          {permissions.mayChange && hasOwnValue(spec) ? (
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
            <Menu.Item leftSection={<Icon name="trash" size={16} />} onClick={() => onAct('delete')}>
              Delete
            </Menu.Item>
          ) : null}
        </>
      )}
    </RowMenu>
  );
}
