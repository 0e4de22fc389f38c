import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';

interface LinkButtonProps extends ButtonProps, Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof ButtonProps> {
  readonly ref?: Ref<HTMLAnchorElement>;
}

/** A link to a page that looks like a button; its target is type-checked like that of every Link. */
export const LinkButton = createLink((props: LinkButtonProps) => <Button component="a" {...props} />);
