import { Menu } from '@mantine/core';
import { Icon } from '../../components/icon.tsx';
import { MenuLink } from '../../components/menu-link.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import type { KeyAction } from './key-dialogs.tsx';
import { hasOwnValue, type KeyAt, keySpec } from './key-spec.ts';
import type { KeyRights } from './use-key-rights.ts';

export interface KeyMenuProps extends Pick<KeyAt, 'accessKey'> {
  readonly rights: KeyRights;
  onAct(action: KeyAction): void;
}

/** What can be done with a key of a list. */
export function KeyMenu({ accessKey, rights, onAct }: KeyMenuProps) {
  const { name = '' } = accessKey.metadata;
  const spec = keySpec(accessKey);
  return (
    <RowMenu label={`What to do with ${name}`}>
      {() => (
        <>
          {rights.mayCreate && hasOwnValue(spec) ? (
            <MenuLink to="/keys/new" search={{ like: name }} leftSection={<Icon name="copy" size={16} />}>
              Make one like it
            </MenuLink>
          ) : null}
          {rights.mayChange && hasOwnValue(spec) ? (
            <Menu.Item leftSection={<Icon name="refresh" size={16} />} onClick={() => onAct('rotate')}>
              Give a new value
            </Menu.Item>
          ) : null}
          {rights.mayChange ? (
            <Menu.Item
              leftSection={<Icon name={spec.disabled === true ? 'check' : 'close'} size={16} />}
              onClick={() => onAct(spec.disabled === true ? 'enable' : 'disable')}
            >
              {spec.disabled === true ? 'Enable' : 'Disable'}
            </Menu.Item>
          ) : null}
          {rights.mayDelete ? (
            <Menu.Item leftSection={<Icon name="trash" size={16} />} onClick={() => onAct('delete')}>
              Delete
            </Menu.Item>
          ) : null}
        </>
      )}
    </RowMenu>
  );
}
