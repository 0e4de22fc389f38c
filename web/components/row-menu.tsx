import { Menu, UnstyledButton } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import classes from './row-menu.module.css';

export interface RowMenuProps {
  /** Of what: "What to do with demo". */
  readonly label: string;
  /** The items, made when it is opened. */
  children(): ReactNode;
}

/** What can be done with a row. Until somebody wants to know it is no more than a button: a list has very many of them. */
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
  // The focus is on the button first, so that it comes back to it.
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
      // In the page itself, out of the table that would cut it off.
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
