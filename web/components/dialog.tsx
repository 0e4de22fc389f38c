import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { giveFocusBack } from './kept-focus.ts';

export interface DialogProps {
  readonly title: string;
  readonly size?: string;
  readonly centered?: boolean;
  /** A click beside it would throw away what was typed, or what cannot be had again. */
  readonly keepsOnClickBeside?: boolean;
  readonly children: ReactNode;
  onClose(): void;
}

/** In front of the page while it is mounted; the focus goes back to where it was. */
export function Dialog({ keepsOnClickBeside = false, children, ...rest }: DialogProps) {
  useEffect(() => giveFocusBack, []);
  return (
    <Modal opened closeOnClickOutside={!keepsOnClickBeside} closeButtonProps={{ 'aria-label': 'Close' }} {...rest}>
      {children}
    </Modal>
  );
}
