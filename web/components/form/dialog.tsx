import { Modal } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { restoreFocus } from './page-focus.ts';

export interface DialogProps {
  readonly title: string;
  readonly size?: string;
  readonly centered?: boolean;
  /** Set if a click outside would discard input, or content that cannot be shown again. */
  readonly keepOpenOnClickOutside?: boolean;
  readonly children: ReactNode;
  onClose(): void;
}

/** A modal dialog, open while mounted. Restores the focus when it closes. */
export function Dialog({ keepOpenOnClickOutside = false, children, ...rest }: DialogProps) {
  useEffect(() => restoreFocus, []);
  return (
    <Modal opened closeOnClickOutside={!keepOpenOnClickOutside} closeButtonProps={{ 'aria-label': 'Close' }} {...rest}>
      {children}
    </Modal>
  );
}
