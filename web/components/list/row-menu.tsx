import { Menu, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../icon.tsx';
import classes from './row-menu.module.css';

export interface RowMenuProps {
  /** The accessible name of the menu, for example "Actions for demo". */
  readonly label: string;
  /** Renders the menu items. Called only when the menu is open. */
  children(): ReactNode;
}

/**
 * The menu with the actions of a row. Before the first click it is a plain button, which is cheaper in lists with many
 * rows.
 */
export function RowMenu({ label, children }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  if (isUsed) return <OpenedMenu label={label}>{children}</OpenedMenu>;
  return (
    <UnstyledButton
      className={classes.button}
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    >
      <Icon name="more" size={22} />
    </UnstyledButton>
  );
}

function OpenedMenu({ label, children }: RowMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  // Focuses the button before the menu opens, so the focus returns to the button when the menu closes.
  useEffect(() => {
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position="bottom-end"
      width={210}
      returnFocus
      withInitialFocusPlaceholder={false}
      // The menu is rendered outside of the table, because the table would clip it.
      portalProps={{ target: '#page' }}
    >
      <Menu.Target>
        <UnstyledButton ref={button} className={classes.button} aria-label={label}>
          <Icon name="more" size={22} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>{isOpen ? children() : null}</Menu.Dropdown>
    </Menu>
  );
}
