import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { giveFocusBack } from './kept-focus.ts';

export interface DialogProps {
  readonly title: string;
  readonly size?: string;
  readonly centered?: boolean;
  /** Set if a click outside would discard input, or content that cannot be shown again. */
  readonly keepsOnClickBeside?: boolean;
  readonly children: ReactNode;
  onClose(): void;
}

/** A modal dialog, open while mounted. Restores the focus when it closes. */
export function Dialog({ keepsOnClickBeside = false, children, ...rest }: DialogProps) {
  useEffect(() => giveFocusBack, []);
  return (
    <Modal opened closeOnClickOutside={!keepsOnClickBeside} closeButtonProps={{ 'aria-label': 'Close' }} {...rest}>
      {children}
    </Modal>
  );
}
