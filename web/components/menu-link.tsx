import { Menu, type MenuItemProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface MenuLinkProps extends MenuItemProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof MenuItemProps> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** A menu item that is a link to a page of the console. */
export const MenuLink = createLink((props: MenuLinkProps) => <Menu.Item component="a" {...props} />);
